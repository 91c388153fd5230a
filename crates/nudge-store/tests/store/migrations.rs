//! Creates and upgrades databases, and opens newer ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;

use nudge_core::{Fault, FaultKind};
use nudge_store::{Access, Durability, LATEST, OpenOptions, ReadOnlyReason, Store};

use crate::support::{Home, after, body, entry, raw, write};

/// Writes a schema version into the header of a database that nobody has open.
fn pretend_version(home: &Home, version: i32) {
    let mut bytes = fs::read(home.database()).expect("readable");
    bytes[60..64].copy_from_slice(&version.to_be_bytes());
    fs::write(home.database(), bytes).expect("writable");
}

/// @kernel_migrations: processes that start at the same time on an empty home create one database.
#[test]
fn many_may_make_the_database_at_once() {
    let home = Home::new();
    thread::scope(|scope| {
        for number in 0..8 {
            let home = &home;
            scope.spawn(move || {
                write(&home.open(), |writer| writer.put_entry(&entry(&format!("known://{number}"), "x")))
            });
        }
    });
    let store = home.open();
    let stats = store.stats().expect("counted");
    assert_eq!((stats.entries, stats.feed_head, stats.schema_version), (8, 8, LATEST));
    assert_eq!(home.backup_names(), Vec::<String>::new(), "making a database is no upgrade");
}

/// @file_modes: only the owner can access the database and the files next to it.
#[test]
fn all_files_are_for_the_owner_alone() {
    let home = Home::new();
    let root = home.dir().join("new").join("home");
    let store = Store::open(&OpenOptions {
        location: nudge_store::Location::File(root.join("nudge.db")),
        ..home.options()
    })
    .expect("opens");
    write(&store, |writer| writer.put_entry(&entry("known://a", "x")));
    let mut modes: Vec<(String, u32)> = fs::read_dir(&root)
        .expect("listed")
        .map(|found| {
            let found = found.expect("readable");
            let mode = found.metadata().expect("readable").permissions().mode() & 0o777;
            (found.file_name().to_string_lossy().into_owned(), mode)
        })
        .collect();
    modes.sort();
    let private = |name: &str| (name.to_owned(), 0o600);
    let names = ["nudge.db", "nudge.db-made", "nudge.db-shm", "nudge.db-wal"];
    assert_eq!(modes, names.map(private));
    assert_eq!(fs::metadata(&root).expect("readable").permissions().mode() & 0o777, 0o700);
}

/// @kernel_newer_store: a newer program's database can be read, and a write fails with a next step.
#[test]
fn a_newer_database_is_only_read() {
    let home = Home::new();
    write(&home.open(), |writer| writer.put_entry(&entry("known://a", "kept")));
    pretend_version(&home, 99);

    let store = home.open();
    let newer = ReadOnlyReason::NewerSchema { found: 99, known: LATEST };
    assert_eq!(store.access(), &Access::ReadOnly { reason: newer });
    assert_eq!(body(&store, "known://a").as_deref(), Some("kept"));
    let refused = store
        .write(Durability::Stated, |writer| writer.put_entry(&entry("known://b", "x")))
        .expect_err("refused");
    let fault = Fault::from(refused);
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::NewerStore, "newer_schema"));
    assert!(fault.next.expect("a way out").contains("update nudge"));
    drop(store);
    pretend_version(&home, LATEST as i32);
    assert_eq!(body(&home.open(), "known://b"), None);
}

/// Makes the last step fail: it is applied to a database that already has its changes.
fn spoil_last_step(home: &Home) {
    let last = LATEST - 1;
    let sql = format!("DELETE FROM migration WHERE version > {last}; PRAGMA user_version = {last};");
    raw(&home.database()).execute_batch(&sql).expect("changed");
}

/// @kernel_upgrade_backup: a failing step is retried by every command, and the database is copied
/// once.
#[test]
fn a_failing_upgrade_copies_the_database_once() {
    let home = Home::new();
    write(&home.open(), |writer| writer.put_entry(&entry("known://a", "kept")));
    spoil_last_step(&home);
    let attempt = |millis: u64| {
        let refused = Store::open(&OpenOptions { now: after(millis), ..home.options() }).err();
        assert!(refused.is_some(), "the step fails");
    };
    (0..37).for_each(attempt);
    assert_eq!(home.backup_names().len(), 1, "{:?}", home.backup_names());

    // An older program has written since: the copy differs from what would be upgraded.
    raw(&home.database())
        .execute_batch("INSERT INTO meta (key, value) VALUES ('later', 'x');")
        .expect("changed");
    (37..74).for_each(attempt);
    assert_eq!(home.backup_names().len(), 2, "{:?}", home.backup_names());
}

/// @kernel_upgrade_backup: while another program has the database open, so that the log stays.
#[test]
fn a_failing_upgrade_beside_a_reader_copies_the_database_once() {
    let home = Home::new();
    write(&home.open(), |writer| writer.put_entry(&entry("known://a", "kept")));
    spoil_last_step(&home);
    let beside = raw(&home.database());
    beside
        .execute_batch("INSERT INTO meta (key, value) VALUES ('log', 'x'); BEGIN; SELECT 1 FROM meta;")
        .expect("open");
    for millis in 0..37 {
        assert!(Store::open(&OpenOptions { now: after(millis), ..home.options() }).is_err());
    }
    assert_eq!(home.backup_names().len(), 1, "{:?}", home.backup_names());
}
