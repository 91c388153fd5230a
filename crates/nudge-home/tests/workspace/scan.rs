//! What a scan lists.

use std::cell::Cell;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use nudge_home::Workspace;

use super::support::{Project, rules};

/// The least that makes a directory a repository.
fn make_repository(project: &Project, dir: &str) {
    project.put(&format!("{dir}.git/HEAD"), "ref: refs/heads/main\n");
}

/// @files_scan Files are sorted by path, hidden ones included; `.git`, links and everything that is
/// no file are left out.
#[test]
fn a_scan_lists_files() {
    let project = Project::new();
    make_repository(&project, "");
    for path in ["b.rs", "a/z.rs", "a-b.rs", ".github/ci.yml", ".hidden", "sub/.git/HEAD"] {
        project.put(path, "12345");
    }
    symlink(&project.outside, project.root.join("link")).expect("linked");
    symlink(project.root.join("b.rs"), project.root.join("link.rs")).expect("linked");
    symlink(&project.root, project.root.join("a/loop")).expect("linked");
    assert!(Command::new("mkfifo").arg(project.root.join("pipe")).status().expect("runs").success());
    let scan = project.scan(&[]);
    let paths: Vec<_> = scan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, [".github/ci.yml", ".hidden", "a-b.rs", "a/z.rs", "b.rs"]);
    assert!(scan.is_complete() && scan.started_ms > 0);
    let file = &scan.files[0];
    assert!(file.size == 5 && file.modified_ms > 0 && file.file_id.is_some() && !file.too_large);
}

/// @files_scan A scan removes nothing, however old and whatever it is called. It lists files of the
/// user, and leaves out those that a write is filling.
#[test]
fn a_scan_removes_nothing() {
    let project = Project::new();
    let mine = [".tmp-nudge-1-2-3", ".tmp-nudge-my-own-notes", ".tmp-nudge-2026-11-18.md"];
    let left = ".tmp-nudge-00000001-0123456789abcdef";
    for name in mine.iter().chain([&left]) {
        project.put_old(name, "tracked");
    }
    let scan = project.scan(&[]);
    let mut paths: Vec<_> = scan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(project.names("").len(), 4, "{:?}", project.names(""));
    paths.sort_unstable();
    assert_eq!(paths, [".tmp-nudge-1-2-3", ".tmp-nudge-2026-11-18.md", ".tmp-nudge-my-own-notes"]);
}

/// @files_scan `.gitignore` and `.ignore` of every directory, `info/exclude` and the user's own
/// list are followed; the deepest and the last pattern decide.
#[test]
fn ignored_files_are_left_out() {
    let project = Project::new();
    make_repository(&project, "");
    project.put(".git/info/exclude", "excluded\n");
    project.put(".gitignore", "\u{feff}*.log\n/target/\n!keep.log\nboth\n");
    project.put(".ignore", "data\n!both\n");
    project.put("sub/.gitignore", "!sub.log\nonly-here\n[broken\n");
    for path in [
        "a.log",
        "keep.log",
        "target/x",
        "sub/target/y",
        "sub/sub.log",
        "sub/only-here",
        "only-here",
        "data/x",
        "excluded",
        "sub/excluded",
        "global.tmp",
        "both",
    ] {
        project.put(path, "x");
    }
    let list = project.outside.join("ignore");
    fs::write(&list, "*.tmp\n").expect("written");
    let mut rules = rules(&[]);
    rules.global_ignore = Some(list);
    let scan = project.files.scan(&rules, &|| false);
    let paths: Vec<_> = scan.files.iter().map(|file| file.path.as_str()).collect();
    let expected = [
        ".gitignore",
        ".ignore",
        "both",
        "keep.log",
        "only-here",
        "sub/.gitignore",
        "sub/sub.log",
        "sub/target/y",
    ];
    assert_eq!(paths, expected);
}

/// @files_scan In a part of a repository the rules from above hold. In a repository inside the
/// root only its own do.
#[test]
fn rules_hold_within_a_repository() {
    let project = Project::new();
    make_repository(&project, "");
    project.put(".gitignore", "*.log\npart/named\n");
    project.put("part/a.log", "x");
    project.put("part/named", "x");
    project.put("part/b", "x");
    make_repository(&project, "inner/");
    project.put("inner/.gitignore", "own\n");
    project.put("inner/a.log", "x");
    project.put("inner/own", "x");
    let part = Workspace::open(&project.root.join("part")).expect("opened");
    let paths: Vec<_> = part.scan(&rules(&[]), &|| false).files.into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["b"]);
    assert_eq!(project.listed(&[]), [".gitignore", "inner/.gitignore", "inner/a.log", "part/b"]);
}

/// @files_scan A `.gitignore` that is a link or a pipe is not followed and does not stop the scan.
#[test]
fn a_hostile_gitignore_is_not_opened() {
    let project = Project::new();
    project.put("a/x", "x");
    project.put("b/x", "x");
    project.put("c/x", "x");
    fs::write(project.outside.join("secret"), "secret").expect("written");
    fs::write(project.outside.join("rules"), "x\n").expect("written");
    symlink("/dev/zero", project.root.join("a/.gitignore")).expect("linked");
    symlink(project.outside.join("rules"), project.root.join("b/.gitignore")).expect("linked");
    assert!(Command::new("mkfifo").arg(project.root.join("c/.ignore")).status().expect("runs").success());
    assert_eq!(project.listed(&[]), ["a/x", "b/x", "c/x"]);
}

/// @files_scan A scan ends at its limit or when it is stopped, and says so. Large files are listed
/// as such.
#[test]
fn a_scan_has_limits() {
    let project = Project::new();
    for number in 0..20 {
        project.put(&format!("d{}/f{number}", number % 4), "123456");
    }
    let mut rules = rules(&[]);
    rules.max_files = 7;
    rules.max_content = 5;
    let scan = project.files.scan(&rules, &|| false);
    assert!(scan.is_truncated && !scan.is_complete());
    assert!(scan.files.len() == 7 && scan.files.iter().all(|file| file.too_large));
    rules.max_files = 20;
    assert!(project.files.scan(&rules, &|| false).is_complete());
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let scan = project.files.scan(&rules, &stop);
    assert!(scan.is_stopped && !scan.is_complete() && scan.files.len() < 20);
}

/// @files_scan Names that no entry can have are counted, and directories that cannot be read are
/// named.
#[test]
fn what_cannot_be_listed_is_reported() {
    let project = Project::new();
    project.put("a", "x");
    project.put("line\nbreak", "x");
    // Some systems refuse such a name themselves.
    let latin = fs::write(project.root.join(std::ffi::OsStr::from_bytes(b"gr\xfc\xdfe")), "x").is_ok();
    project.put("closed/x", "x");
    let closed = project.root.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("closed");
    let readable = fs::read_dir(&closed).is_ok();
    let scan = project.scan(&[]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("opened");
    assert_eq!(scan.unusable, 1 + usize::from(latin));
    // The superuser reads everything.
    if !readable {
        assert_eq!(scan.unread, ["closed"]);
        assert!(!scan.is_complete());
    }
}
