//! Symbolic links in place of files that hooks and servers write: nothing is written to their
//! targets.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nudge_testkit::TestHome;

use crate::capture::kit::{command, fire, home};

/// Everything below a directory.
fn below(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path()).collect()
}

/// A memory that cannot be written: hooks log, count and spool, and drop events that the spool
/// cannot store.
fn damaged() -> TestHome {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    for name in ["run", "run/spool", "logs"] {
        home.dir(&format!(".local/share/nudge/{name}"));
    }
    fs::write(home.memory().join("nudge.db"), "no database, and long enough to be looked at as one")
        .expect("ours");
    home
}

/// @files_no_links: a link in place of a file is not followed.
#[test]
fn a_link_for_a_file_is_not_followed() {
    let names =
        ["run/drops", "run/spool/moments.jsonl", "logs/hooks.log", "logs/hooks.json", "logs/server.log"];
    for name in names {
        let home = damaged();
        let treasure = home.file("treasure", "gold");
        symlink(&treasure, home.memory().join(name)).expect("linked");
        fire(&home, &command("make one"));
        fire(&home, &command("make two"));
        home.run(["serve", "--daemon"]);
        home.run(["stop"]);
        assert_eq!(fs::read_to_string(&treasure).expect("still there"), "gold", "{name}");
    }
}

/// @files_no_links: a link in place of a directory is not followed, and `backup` says so.
#[test]
fn a_link_for_a_directory_is_not_followed() {
    for name in ["run", "run/spool", "logs", "backups"] {
        let home = damaged();
        let elsewhere = home.dir("elsewhere");
        let place = home.memory().join(name);
        let _ = fs::remove_dir_all(&place);
        symlink(&elsewhere, &place).expect("linked");
        fire(&home, &command("make one"));
        home.run(["serve", "--daemon"]);
        home.run(["stop"]);
        assert_eq!(below(&elsewhere), Vec::<PathBuf>::new(), "{name}");
    }
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let elsewhere = home.dir("elsewhere");
    symlink(&elsewhere, home.memory().join("backups")).expect("linked");
    let refused = home.run(["backup"]).exits(5);
    assert!(refused.stderr.contains("is a symbolic link"), "{}", refused.stderr);
    let file = home.path().join("copy.db");
    home.run(["backup", file.to_str().expect("a text")]).ok();
    let refused = home.run(["restore", file.to_str().expect("a text"), "--yes"]).exits(5);
    assert!(refused.stderr.contains("is a link"), "{}", refused.stderr);
    assert_eq!(below(&elsewhere), Vec::<PathBuf>::new());
}

/// @files_no_links: an event that cannot be spooled because of a link is recorded as dropped.
#[test]
fn what_a_link_keeps_out_is_noted() {
    let home = damaged();
    let elsewhere = home.dir("elsewhere");
    fs::remove_dir(home.memory().join("run/spool")).expect("empty");
    symlink(&elsewhere, home.memory().join("run/spool")).expect("linked");
    fire(&home, &command("make one"));
    let said = home.run(["doctor"]).stdout;
    assert!(said.contains("1 event lost"), "{said}");
}
