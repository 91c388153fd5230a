//! Who may read Nudge's files, whatever the user's umask is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use serde_json::json;

use crate::access::person::TestUser;

/// Every path below `dir` with its mode; names that differ between runs are shortened.
fn modes(dir: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for item in fs::read_dir(dir).expect("root may list everything").flatten() {
        let facts = item.path().symlink_metadata().expect("it was just listed");
        let name = format!("{prefix}{}", item.file_name().to_string_lossy());
        let kind = match facts.file_type() {
            kind if kind.is_dir() => "d",
            kind if kind.is_socket() => "s",
            kind if kind.is_symlink() => "l",
            _ => "-",
        };
        found.insert(name.clone(), format!("{kind}{:o}", facts.permissions().mode() & 0o7777));
        if facts.is_dir() {
            modes(&item.path(), &format!("{name}/"), found);
        }
    }
}

/// @file_modes
#[test]
fn only_the_person_can_read_what_lies_on_disk() {
    let person = TestUser::new();
    person.run(&["set", "a", "b", "c"]).ok();
    let mut agent = person.stdio(&[]);
    agent.call("set_hint", json!({"component": "a", "key": "d", "value": "e"}));
    drop(agent);
    person.serve(&["--log-level", "debug"]);
    person.run(&["set", "a", "f", "g"]).ok();
    person.run(&["token", "rotate"]).ok();
    person.run(&["backup"]).ok();
    let mut found = BTreeMap::new();
    modes(&person.memory(), "", &mut found);
    for wanted in [
        "nudge.db",
        "nudge.db-wal",
        "nudge.db-shm",
        "run",
        "run/lock",
        "run/token",
        "run/nudge.sock",
        "logs",
        "backups",
    ] {
        assert!(found.contains_key(wanted), "{wanted} is not there: {found:?}");
    }
    let top = fs::metadata(person.memory()).expect("it exists").permissions().mode() & 0o7777;
    assert_eq!(top, 0o700);
    let open: Vec<_> =
        found.iter().filter(|(_, mode)| !["d700", "-600", "s600"].contains(&mode.as_str())).collect();
    assert_eq!(open, [], "{found:?}");
    assert!(found.keys().any(|name| name.starts_with("backups/")), "{found:?}");
    assert!(found.keys().any(|name| name.starts_with("logs/")), "{found:?}");
}

/// If others could write to a parent directory, they could replace the memory with their own.
/// @file_modes
#[test]
fn no_directory_on_the_way_is_open_for_writing() {
    let person = TestUser::new();
    person.run(&["set", "a", "b", "c"]).ok();
    person.serve(&[]);
    for dir in [".local", ".local/share"] {
        let mode = fs::metadata(person.home().join(dir)).expect("it exists").permissions().mode() & 0o7777;
        assert_eq!(mode & 0o022, 0, "{dir} has mode {mode:o}");
    }
}

/// @file_modes
#[test]
fn files_that_a_person_asks_for_are_theirs_alone() {
    let person = TestUser::new();
    person.run(&["set", "a", "b", "c"]).ok();
    let (export, backup) = (person.home().join("hints.json"), person.home().join("copy.db"));
    person.run(&["export".as_ref(), "-o".as_ref(), export.as_os_str()]).ok();
    person.run(&["backup".as_ref(), backup.as_os_str()]).ok();
    for file in [&export, &backup] {
        assert_eq!(
            fs::metadata(file).expect("it was written").permissions().mode() & 0o7777,
            0o600,
            "{}",
            file.display()
        );
    }
    person.run(&["restore".as_ref(), backup.as_os_str(), "--yes".as_ref()]).ok();
    let mut found = BTreeMap::new();
    modes(&person.memory(), "", &mut found);
    let open: Vec<_> =
        found.iter().filter(|(_, mode)| !["d700", "-600", "s600"].contains(&mode.as_str())).collect();
    assert_eq!(open, [], "{found:?}");
}
