//! Databases that are valid for SQLite but that none of our programs wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};
use nudge_store::{Durability, HintDraft, History, Location, OpenOptions, Store, StoreError};

use crate::support::{Home, NOW, body, entry, hint, raw, read, write};

const MAX_NUMBER: i64 = (1 << 53) - 1;

/// Changes to a database, and the resulting error.
const TAMPERED: [(&str, &str); 13] = [
    (
        "CREATE TRIGGER hostile AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "the trigger `hostile` does not belong there",
    ),
    ("CREATE VIEW peek AS SELECT body FROM entry", "the view `peek` does not belong there"),
    ("CREATE TABLE extra (a)", "the table `extra` does not belong there"),
    ("CREATE INDEX extra ON entry (body)", "the index `extra` does not belong there"),
    ("DROP INDEX entry_newest", "the index `entry_newest` is missing"),
    ("ALTER TABLE meta ADD COLUMN extra TEXT", "the table `meta` is not the one this program makes"),
    ("UPDATE sqlite_sequence SET seq = 9223372036854775807", "a sequence has a value that is out of range"),
    ("UPDATE sqlite_sequence SET seq = 'many'", "a sequence has a value that is out of range"),
    ("UPDATE feed SET position = -position", "a change has a feed position that is out of range"),
    ("UPDATE entry SET version = 9007199254740992", "an entry has a version that is out of range"),
    ("UPDATE hint SET use_count = 9223372036854775807", "a hint has a use count that is out of range"),
    (
        "INSERT OR REPLACE INTO meta VALUES ('feed_floor', '9223372036854775807')",
        "the floor of its feed is out of range",
    ),
    ("UPDATE meta SET value = 'broken' WHERE key = 'session'", "its session cannot be read"),
];

/// Leaves nothing to read.
const DROPPED: &str = "PRAGMA foreign_keys = OFF; DROP TABLE feed; DROP TABLE hint_tag; DROP TABLE hint;";

fn tamper(database: &Path, sql: &str) {
    raw(database).execute_batch(sql).expect("tampered with");
}

/// A home with one entry and one hint, and a backup of it.
fn saved() -> (Home, PathBuf) {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://a", "kept")));
    write(&store, |writer| writer.put_hint(&hint("api", "build", "make")));
    let saved = home.dir().join("saved.db");
    store.backup_to(&saved).expect("backed up");
    (home, saved)
}

/// @backup_restore: a backup with another schema, impossible numbers or a broken session is
/// rejected, with the reason.
#[test]
fn a_restore_refuses_what_no_program_of_ours_wrote() {
    let (home, saved) = saved();
    let sound = fs::read(&saved).expect("readable");
    let dropped = "the index `hint_by_tag` is missing, the index `hint_command` is missing, \
                   the index `hint_expiry` is missing, and 5 more";
    for (sql, why) in TAMPERED.into_iter().chain([(DROPPED, dropped)]) {
        fs::write(&saved, &sound).expect("written");
        tamper(&saved, sql);
        let fault = Fault::from(Store::restore(&saved, &home.options()).expect_err(sql));
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "not_a_memory"), "{sql}");
        let expected = format!("{} cannot be restored: {why}; nothing was changed", saved.display());
        assert_eq!(fault.message, expected, "{sql}");
    }
    assert_eq!(body(&home.open(), "known://a").as_deref(), Some("kept"));
    assert_eq!(home.backup_names(), Vec::<String>::new());
}

/// @backup_restore: a restore works over a memory that was tampered with in the same ways, and
/// keeps it.
#[test]
fn a_restore_works_over_what_no_program_of_ours_wrote() {
    for (sql, _) in TAMPERED.into_iter().chain([(DROPPED, "")]) {
        let (home, saved) = saved();
        tamper(&home.database(), sql);
        Store::restore(&saved, &home.options()).expect(sql);
        let store = home.open();
        assert_eq!(store.check().expect("checked"), Vec::<String>::new(), "{sql}");
        assert_eq!(body(&store, "known://a").as_deref(), Some("kept"), "{sql}");
        write(&store, |writer| writer.put_entry(&entry("known://b", "after")));
        let floor = read(&store, |reader| reader.feed_floor());
        assert_eq!(read(&store, |reader| reader.feed_after(floor, 9)).changes.len(), 1, "{sql}");
        let kept = home.backup_names();
        let why = if sql == DROPPED { "nudge-damaged-" } else { "nudge-before-restore-" };
        assert!(kept.iter().any(|name| name.starts_with(why)), "{sql}: {kept:?}");
    }
}

/// @backup_restore: a backup with nearly exhausted numbers is restored and stays in range.
#[test]
fn a_restore_stays_in_range() {
    let (home, saved) = saved();
    tamper(&saved, &format!("UPDATE sqlite_sequence SET seq = {}", MAX_NUMBER - 5));
    Store::restore(&saved, &home.options()).expect("restored");
    let store = home.open();
    assert_eq!(store.check().expect("checked"), Vec::<String>::new());
    assert_eq!(read(&store, |reader| reader.feed_floor()), MAX_NUMBER);
}

/// @backup_restore: a check of the memory in use finds the same problems.
#[test]
fn a_check_names_what_no_program_of_ours_wrote() {
    for (sql, finding) in TAMPERED {
        let (home, _) = saved();
        tamper(&home.database(), sql);
        assert_eq!(home.open().check().expect("checked"), [finding], "{sql}");
        assert_eq!(home.open().check_quickly().expect("checked"), [finding], "{sql}");
    }
    let (home, _) = saved();
    tamper(&home.database(), DROPPED);
    let findings = home.open().check().expect("checked");
    assert!(findings.contains(&"the table `feed` is missing".to_owned()), "{findings:?}");
}

/// Changes entries behind the back of an index.
fn behind_the_index(change: &str) -> String {
    format!(
        "PRAGMA writable_schema = ON;
         CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'entry_newest';
         DELETE FROM main.sqlite_schema WHERE name = 'entry_newest';
         PRAGMA writable_schema = RESET;
         {change};
         PRAGMA writable_schema = ON;
         INSERT INTO main.sqlite_schema SELECT * FROM kept;
         PRAGMA writable_schema = RESET;"
    )
}

/// @doctor_deep: the usual check counts the rows of an index; the deep one compares each with its
/// table.
#[test]
fn an_index_that_is_not_its_table_is_found() {
    let (home, _) = saved();
    let store = home.open();
    assert_eq!(store.check_quickly().expect("checked"), Vec::<String>::new());
    drop(store);
    tamper(&home.database(), &behind_the_index("DELETE FROM entry WHERE path = 'known://a'"));
    assert_eq!(home.open().check_quickly().expect("checked"), ["wrong # of entries in index entry_newest"]);
    assert!(!home.open().check().expect("checked").is_empty());

    let (home, _) = saved();
    tamper(&home.database(), &behind_the_index("UPDATE entry SET updated_at = updated_at + 1"));
    assert_eq!(home.open().check_quickly().expect("checked"), Vec::<String>::new());
    let findings = home.open().check().expect("checked");
    assert!(findings[0].ends_with("missing from index entry_newest"), "{findings:?}");
}

fn with_history(version: i64, use_count: i64) -> HintDraft {
    let mut draft = hint("api", "count", "make");
    draft.history =
        Some(History { version, created_at: NOW, updated_at: NOW, last_used_at: None, use_count });
    draft
}

/// @kernel_entry_identity: impossible versions and counts are rejected, and none ever overflows.
#[test]
fn versions_and_counts_have_an_end() {
    let home = Home::new();
    let store = home.open();
    let put = |draft: &HintDraft| store.write(Durability::Stated, |writer| writer.put_hint(draft));
    for (version, use_count, field) in [
        (0, 0, "version"),
        (-1, 0, "version"),
        (MAX_NUMBER + 1, 0, "version"),
        (i64::MAX, 0, "version"),
        (1, -1, "use_count"),
        (1, MAX_NUMBER + 1, "use_count"),
        (1, i64::MAX, "use_count"),
    ] {
        let fault = Fault::from(put(&with_history(version, use_count)).expect_err("refused"));
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "out_of_range"));
        assert!(fault.message.starts_with(&format!("`{field}` must be between ")), "{}", fault.message);
    }

    let last = put(&with_history(MAX_NUMBER, MAX_NUMBER)).expect("the largest of each");
    for delta in [1, i64::MAX] {
        write(&store, |writer| writer.use_hint(last.id, delta, NOW));
    }
    let stored = || read(&store, |reader| reader.hints_of_key("api", "count", NOW)).remove(0);
    assert_eq!((stored().entry.version, stored().use_count), (MAX_NUMBER, MAX_NUMBER));
    let mut next = with_history(1, 0);
    next.history = None;
    next.body = "another".to_owned();
    let refused = put(&next).expect_err("no version is left");
    assert!(matches!(refused, StoreError::LastVersion));
    assert_eq!(Fault::from(refused).kind, FaultKind::Quota);
    assert_eq!((stored().entry.version, stored().entry.body.as_str()), (MAX_NUMBER, "make"));
    write(&store, |writer| writer.use_hint(last.id, i64::MIN, NOW));
    assert_eq!(stored().use_count, 0);
    assert_eq!(store.check().expect("checked"), Vec::<String>::new());
}

/// @kernel_contention: a path that is too long for SQLite is rejected at once.
#[test]
fn a_path_that_is_too_long_is_refused_at_once() {
    let home = Home::new();
    let mut dir = home.dir().canonicalize().expect("there");
    while dir.as_os_str().len() < 520 {
        dir.push("d".repeat(60));
    }
    fs::create_dir_all(&dir).expect("made");
    for read_only in [false, true] {
        let started = Instant::now();
        let location = Location::File(dir.join("nudge.db"));
        let refused = Store::open(&OpenOptions { location, read_only, ..home.options() }).err();
        let bytes = dir.as_os_str().len() + "/nudge.db".len();
        assert!(
            matches!(&refused, Some(StoreError::PathTooLong { bytes: found, most: 504, .. }) if *found == bytes),
            "{refused:?}"
        );
        assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
        let fault = Fault::from(refused.expect("refused"));
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Unavailable, "path_too_long"));
    }
}

/// @kernel_contention: the longest possible path works.
#[test]
fn the_longest_path_works() {
    let home = Home::new();
    let mut dir = home.dir().canonicalize().expect("there");
    while dir.as_os_str().len() < 400 {
        dir.push("d".repeat(40));
    }
    let rest = 504 - dir.as_os_str().len() - "//nudge.db".len();
    dir.push("e".repeat(rest));
    let location = Location::File(dir.join("nudge.db"));
    let store = Store::open(&OpenOptions { location, ..home.options() }).expect("opens");
    write(&store, |writer| writer.put_entry(&entry("known://a", "x")));
}

/// @kernel_contention: a permanent refusal in a writable home is not treated as a busy lock, and is
/// reported soon.
#[test]
fn a_lasting_refusal_is_not_waited_for_as_a_lock() {
    let home = Home::new();
    drop(home.open());
    fs::create_dir(home.dir().join("nudge.db-wal")).expect("made");
    let started = Instant::now();
    let refused = Store::open(&home.options()).err().expect("refused");
    assert!(!matches!(refused, StoreError::Busy { .. }), "{refused:?}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
