//! Who owns the directory.

use std::fs;
use std::path::Path;

use nudge_index::{Budget, IndexError, IndexWriter};

use super::disposable::{answers_are_right, built, filled};

fn refusal(directory: &Path) -> String {
    match IndexWriter::acquire(directory) {
        Err(IndexError::Io(error)) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("{} was taken", directory.display()),
    }
}

/// @recall_index_disposable Starting from scratch, purging and cleaning up leave files alone that
/// no writer makes.
#[test]
fn other_files_stay() {
    let memory = filled(50);
    let home = built(&memory);
    let others = ["notes.md", ".env", "d41d8cd98f00b204e9800998ecf8427e.jpg", "my.json", ".tmp-keep"];
    for name in others {
        fs::write(home.path().join(name), "mine").expect("writable");
    }
    let left =
        ["d41d8cd98f00b204e9800998ecf8427e.idx", "d41d8cd98f00b204e9800998ecf8427e.7.del", ".tmpAb12Cd"];
    for name in left {
        fs::write(home.path().join(name), "half").expect("writable");
    }
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("follows");
    for name in left {
        assert!(!home.path().join(name).exists(), "{name} was left by a writer that died");
    }
    writer.purge(&[3]).expect("purges");
    writer.rebuild(&memory, Budget::ALL).expect("builds");
    drop(writer);
    fs::write(home.path().join("meta.json"), "no list").expect("writable");
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.purge(&[3]).expect("wipes");
    for name in others {
        assert_eq!(fs::read_to_string(home.path().join(name)).expect(name), "mine");
    }
}

/// @recall_index_disposable A directory with somebody's files and no index is rejected and not
/// touched, and answers are right without one.
#[test]
fn a_foreign_directory_is_refused() {
    let memory = filled(50);
    let home = tempfile::tempdir().expect("a temporary directory");
    fs::write(home.path().join("meta.json"), "{\"theirs\": true}").expect("writable");
    let why = refusal(home.path());
    assert!(why.ends_with("holds files and no search index; move them or remove the directory"), "{why}");
    assert_eq!(fs::read_dir(home.path()).expect("readable").count(), 1);
    answers_are_right(home.path(), &memory);
    let file = home.path().join("meta.json");
    assert!(refusal(&file).ends_with("is not a directory"));
}

/// @recall_index_disposable An index that lost its lock file is still used.
#[test]
fn an_index_without_its_lock_is_ours() {
    let memory = filled(50);
    let home = built(&memory);
    fs::remove_file(home.path().join(".keeper.lock")).expect("removable");
    let mut writer = IndexWriter::acquire(home.path()).expect("ours").expect("free");
    assert!(!writer.catch_up(&memory, Budget::ALL).expect("follows").was_restarted);
}

/// @recall_index_disposable A symbolic link is rejected, as directory and as lock, and answers are
/// right.
#[cfg(unix)]
#[test]
fn a_link_is_refused() {
    use std::os::unix::fs::symlink;
    let memory = filled(50);
    let home = built(&memory);
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let link = elsewhere.path().join("index");
    symlink(home.path(), &link).expect("linked");
    assert!(refusal(&link).contains("is a symbolic link"));
    answers_are_right(&link, &memory);
    let target = elsewhere.path().join("target");
    fs::remove_file(home.path().join(".keeper.lock")).expect("removable");
    symlink(&target, home.path().join(".keeper.lock")).expect("linked");
    assert!(refusal(home.path()).ends_with("is not a regular file"));
    assert!(!target.exists());
}

/// @recall_index_disposable The next writer closes an index that others could read.
#[cfg(unix)]
#[test]
fn an_open_directory_is_closed() {
    use std::os::unix::fs::PermissionsExt;
    let home = built(&filled(5));
    let mode = || fs::metadata(home.path()).expect("there").permissions().mode() & 0o777;
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("ours");
    drop(IndexWriter::acquire(home.path()).expect("writable"));
    assert_eq!(mode(), 0o700);
}

/// @file_modes Every file of the index is accessible to its owner only, whatever the umask; files
/// that an earlier version left open are closed.
#[cfg(unix)]
#[test]
fn files_are_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    const CHILD: &str = "NUDGE_INDEX_TEST_MODES";
    if let Some(directory) = std::env::var_os(CHILD) {
        let mut writer = IndexWriter::acquire(Path::new(&directory)).expect("writable").expect("free");
        writer.catch_up(&filled(50), Budget::ALL).expect("builds");
        return;
    }
    let modes = |directory: &Path| {
        let entries = fs::read_dir(directory).expect("readable").flatten();
        let mode = |entry: fs::DirEntry| {
            (entry.file_name(), entry.metadata().expect("there").permissions().mode() & 0o777)
        };
        entries.map(mode).filter(|(_, mode)| *mode != 0o600).collect::<Vec<_>>()
    };
    let home = tempfile::tempdir().expect("a temporary directory");
    for umask in ["000", "022", "077"] {
        let directory = home.path().join(umask);
        let own = std::env::current_exe().expect("this binary");
        let outcome = Command::new("sh")
            .args([
                "-c",
                &format!("umask {umask}; exec \"$0\" recall::place::files_are_the_owners_alone --exact"),
            ])
            .arg(own)
            .env(CHILD, &directory)
            .output()
            .expect("starts");
        assert!(outcome.status.success(), "{umask}: {outcome:?}");
        assert!(fs::read_dir(&directory).expect("made").count() > 5);
        assert_eq!(modes(&directory), [], "umask {umask}");
        let mode = fs::metadata(&directory).expect("made").permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "umask {umask}");
    }
    let directory = home.path().join("022");
    for entry in fs::read_dir(&directory).expect("readable").flatten() {
        fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o644)).expect("ours");
    }
    drop(IndexWriter::acquire(&directory).expect("writable"));
    assert_eq!(modes(&directory), []);
}
