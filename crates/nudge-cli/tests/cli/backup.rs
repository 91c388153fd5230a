//! Backs up the whole memory to a file, and restores it.

use insta::assert_snapshot;

use crate::cli::home;

/// @backup_restore
#[test]
fn a_backup_brings_back_what_was_there() {
    let home = home();
    home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    let file = home.path().join("memory.backup");
    let name = file.to_str().expect("utf-8");
    home.run(["backup", name]).ok();
    home.run(["set", "api", "build", "cmake", "--ttl", "forever"]).ok();
    home.run(["set", "api", "later", "x", "--ttl", "forever"]).ok();
    assert_snapshot!("restore_unconfirmed", home.run(["restore", name]).page());
    home.run(["restore", name, "--yes"]).ok();
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
    home.run(["get", "api", "later"]).exits(3);
}

/// @backup_restore
#[test]
fn without_a_name_the_backup_is_dated_and_private() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let answer = home.run(["backup", "--json"]).json();
    let file = std::path::PathBuf::from(answer["file"].as_str().expect("a path"));
    assert!(file.starts_with(home.memory().join("backups")), "{}", file.display());
    assert_eq!(std::fs::metadata(&file).expect("written").permissions().mode() & 0o777, 0o600);
    let again = home.run(["backup", "--json"]).json();
    assert_ne!(again["file"], answer["file"], "another one within the same second is another one");
}

/// @backup_restore
#[test]
fn a_backup_is_never_written_over_and_needs_no_quiet_memory() {
    let home = home();
    home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    let _server = home.daemon(&[]);
    let file = home.path().join("memory.backup");
    let name = file.to_str().expect("utf-8");
    home.run(["backup", name]).ok();
    assert_snapshot!("backup_exists", home.run(["backup", name]).page());
    home.run(["set", "api", "build", "cmake", "--ttl", "forever"]).ok();
    assert_snapshot!("restore", home.run(["restore", name, "--yes"]).page());
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
}

/// @backup_restore
#[test]
fn what_is_no_memory_is_not_restored() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let file = home.file("notes.txt", "not a database");
    home.run(["restore", file.to_str().expect("utf-8"), "--yes"]).exits(2);
    home.run(["restore", "missing.backup", "--yes"]).exits(3);
    home.run(["get", "api", "build"]).exits(0);
}
