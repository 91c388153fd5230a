//! Writes replace a whole file or nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use nudge_home::workspace::{Expected, FileHash};

use super::support::{Project, reason};

fn hash(text: &str) -> Expected {
    Expected::Hash(FileHash::of(text.as_bytes()))
}

fn set_mode(project: &Project, path: &str, mode: u32) {
    fs::set_permissions(project.root.join(path), fs::Permissions::from_mode(mode)).expect("mode set");
}

fn mode(project: &Project, path: &str) -> u32 {
    fs::metadata(project.root.join(path)).expect("is there").mode() & 0o777
}

/// @files_atomic_write A new file gets its directories, an existing one keeps its mode, and no
/// temporary file stays.
#[test]
fn a_write_creates_or_replaces() {
    let project = Project::new();
    let path = project.path("a/b/c.txt");
    let written = project.files.write(&path, "one", Expected::Absent).expect("written");
    assert!(written.created);
    assert_eq!((written.size, written.hash), (3, FileHash::of(b"one")));
    let read = project.files.read(&path, 100).expect("read");
    assert_eq!((read.hash, read.modified_ms), (written.hash, written.modified_ms));
    set_mode(&project, "a/b/c.txt", 0o750);
    let written = project.files.write(&path, "two", hash("one")).expect("written");
    assert!(!written.created);
    assert_eq!((project.text("a/b/c.txt"), mode(&project, "a/b/c.txt")), ("two".into(), 0o750));
    project.files.write(&path, "", Expected::Any).expect("written");
    assert_eq!(project.text("a/b/c.txt"), "");
    assert_eq!(project.names("a/b"), ["c.txt"]);
}

/// @files_atomic_write The next write into a directory removes what a killed process left there an
/// hour before; files of the user stay, whatever they are called.
#[test]
fn a_write_removes_what_a_killed_process_left() {
    let project = Project::new();
    let left = |number: u32| format!(".tmp-nudge-0000000{number}-0123456789abcdef");
    project.put_old(&format!("sub/{}", left(1)), "half");
    project.put_old(&format!("elsewhere/{}", left(2)), "half");
    project.put(&format!("sub/{}", left(3)), "half");
    let own = [
        ".tmp-nudge-00000004-0123456789abcdef.md",
        ".tmp-nudge-00000004-0123456789abcdeF",
        ".tmp-nudge-1-2-3",
        ".tmp-nudge-my-own-notes",
    ];
    for name in own {
        project.put_old(&format!("sub/{name}"), "of the user");
    }
    project.files.write(&project.path("sub/new"), "text", Expected::Absent).expect("written");
    let mut expected = own.to_vec();
    let young = left(3);
    expected.extend([young.as_str(), "new"]);
    expected.sort_unstable();
    assert_eq!(project.names("sub"), expected);
    assert_eq!(project.names("elsewhere"), [left(2)]);
}

/// @files_atomic_write A file that is not as expected is left alone.
#[test]
fn a_changed_file_is_not_overwritten() {
    let project = Project::new();
    project.put("a", "theirs");
    let (a, none, deep) = (project.path("a"), project.path("none"), project.path("no/ne"));
    assert_eq!(reason(project.files.write(&a, "ours", hash("before"))), "file_changed");
    assert_eq!(reason(project.files.write(&a, "ours", Expected::Absent)), "file_changed");
    assert_eq!(reason(project.files.write(&none, "ours", hash("before"))), "file_changed");
    assert_eq!(reason(project.files.write(&deep, "ours", hash("before"))), "file_changed");
    assert_eq!(reason(project.files.remove(&a, hash("before"))), "file_changed");
    assert_eq!(reason(project.files.remove(&a, Expected::Absent)), "file_changed");
    assert_eq!(reason(project.files.rename(&a, &none, hash("before"))), "file_changed");
    assert_eq!((project.text("a").as_str(), project.names("")), ("theirs", vec!["a".to_owned()]));
}

/// @files_atomic_write A read-only file is not replaced.
#[test]
fn a_read_only_file_stays() {
    let project = Project::new();
    project.put("a", "kept");
    set_mode(&project, "a", 0o444);
    assert_eq!(reason(project.files.write(&project.path("a"), "x", Expected::Any)), "file_read_only");
    assert_eq!((project.text("a").as_str(), project.names("")), ("kept", vec!["a".to_owned()]));
}

/// @files_atomic_write The other name of a hard link keeps its content, even outside the root.
#[test]
fn a_hard_link_is_not_written_through() {
    let project = Project::new();
    fs::hard_link(project.outside.join("secret"), project.root.join("a")).expect("linked");
    project.files.write(&project.path("a"), "new", hash("secret")).expect("written");
    assert_eq!(project.text("a"), "new");
    project.assert_outside_untouched();
}

/// @files_atomic_write Removing takes the file that was expected.
#[test]
fn a_file_is_removed() {
    let project = Project::new();
    project.put("a/b", "x");
    let (b, none) = (project.path("a/b"), project.path("a/none"));
    project.files.remove(&b, hash("x")).expect("removed");
    assert_eq!(project.names("a"), [""; 0]);
    assert_eq!(reason(project.files.remove(&b, Expected::Any)), "file_missing");
    assert_eq!(reason(project.files.remove(&b, hash("x"))), "file_changed");
    project.files.remove(&none, Expected::Absent).expect("nothing to do");
    project.files.remove(&project.path("no/dir"), Expected::Absent).expect("nothing to do");
}

/// @files_atomic_write A rename creates directories and never replaces a file.
#[test]
fn a_file_is_renamed_to_a_free_name() {
    let project = Project::new();
    project.put("a", "x");
    project.put("taken", "y");
    let (a, taken, deep) = (project.path("a"), project.path("taken"), project.path("d/e/f"));
    assert_eq!(reason(project.files.rename(&a, &taken, Expected::Any)), "file_exists");
    project.files.rename(&a, &deep, hash("x")).expect("renamed");
    assert_eq!((project.text("d/e/f"), project.text("taken")), ("x".into(), "y".into()));
    assert_eq!(reason(project.files.rename(&a, &taken, Expected::Any)), "file_missing");
    assert_eq!(reason(project.files.rename(&a, &taken, Expected::Absent)), "file_missing");
    assert_eq!(project.names(""), ["d", "taken"]);
}

/// @files_atomic_write A write that fails leaves the old file and no temporary one.
#[test]
fn a_failed_write_leaves_nothing_behind() {
    let project = Project::new();
    let long = project.path(&format!("dir/{}", "x".repeat(300)));
    assert_eq!(reason(project.files.write(&long, "x", Expected::Any)), "file_io");
    assert_eq!(project.names("dir"), [""; 0]);
}
