//! Backups of the whole memory, and restoring one.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use nudge_core::{Fault, FaultKind};
use nudge_store::{LATEST, Store, StoreError};

use crate::support::{Home, NOW, body, entry, hint, read, write};

/// @backup_restore: a backup contains everything, only its owner can access it, and it replaces a
/// file only when complete.
#[test]
fn a_backup_is_a_whole_private_copy() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://a", "one")));
    write(&store, |writer| writer.put_hint(&hint("api", "build", "make")));
    let target = home.dir().join("copy.db");
    fs::write(&target, "something older").expect("written");
    store.backup_to(&target).expect("backed up");
    assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, 0o600);

    let copy = Store::open(&crate::support::options(&target)).expect("opens");
    assert_eq!(body(&copy, "known://a").as_deref(), Some("one"));
    assert_eq!(copy.stats().expect("counted").hints, 1);
    assert_eq!(copy.check().expect("checked"), Vec::<String>::new());

    let nowhere =
        store.backup_to(&home.dir().join("missing").join("copy.db")).expect_err("no such directory");
    assert!(matches!(nowhere, StoreError::Io { .. }));
}

/// @backup_restore: a restore replaces everything at once, even for processes with the store open,
/// and keeps the old state.
#[test]
fn a_restore_replaces_everything_under_open_stores() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://a", "then")));
    let saved = home.dir().join("saved.db");
    store.backup_to(&saved).expect("backed up");
    write(&store, |writer| writer.put_entry(&entry("known://a", "now")));
    let later = write(&store, |writer| writer.put_entry(&entry("known://b", "now"))).id;
    let head = write(&store, |writer| writer.register_feed_reader("index", NOW));

    Store::restore(&saved, &home.options()).expect("restored");
    assert_eq!(body(&store, "known://a").as_deref(), Some("then"), "an open store sees the restored memory");
    assert_eq!(body(&store, "known://b"), None);
    assert_eq!(store.check().expect("checked"), Vec::<String>::new());

    let gone = store.read(|reader| reader.feed_after(head, 9));
    assert!(matches!(gone, Err(StoreError::FeedGone { oldest }) if oldest > head), "followers start over");
    let next = write(&store, |writer| writer.put_entry(&entry("known://c", "x"))).id;
    assert_eq!(next.0, later.0 + 1, "ids go on where they were, and none is given out again");
    let floor = read(&store, |reader| reader.feed_floor());
    assert_eq!(read(&store, |reader| reader.feed_after(floor, 9)).changes.len(), 1);

    let names = home.backup_names();
    assert_eq!(names, ["nudge-before-restore-2026-11-15T06-10-27.123Z.db"]);
    let old = Store::open(&crate::support::options(&home.backups().join(&names[0]))).expect("opens");
    assert_eq!(body(&old, "known://b").as_deref(), Some("now"));
}

/// @backup_restore: a file that is not an intact memory, or is a newer one, is rejected and nothing
/// changes.
#[test]
fn a_restore_refuses_what_it_cannot_trust() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://a", "kept")));
    let saved = home.dir().join("saved.db");
    store.backup_to(&saved).expect("backed up");
    let sound = fs::read(&saved).expect("readable");

    let refusal = |content: &[u8]| {
        fs::write(&saved, content).expect("written");
        let fault = Fault::from(Store::restore(&saved, &home.options()).expect_err("refused"));
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "not_a_memory"));
        let why = fault.message.split_once("restored: ").expect("a reason").1;
        why.strip_suffix("; nothing was changed").expect("a comfort").to_owned()
    };
    assert_eq!(
        refusal(b"not a database at all, but long enough to be looked at as one........."),
        "it is not a sound database"
    );
    assert_eq!(refusal(b""), "it is not a memory of nudge");

    let mut newer = sound.clone();
    newer[60..64].copy_from_slice(&99_i32.to_be_bytes());
    assert_eq!(
        refusal(&newer),
        format!("it has schema 99 and this program knows up to {LATEST}; update nudge")
    );

    let mut other = sound.clone();
    other[68..72].copy_from_slice(&7_i32.to_be_bytes());
    assert_eq!(refusal(&other), "it is not a memory of nudge");

    let mut damaged = sound.clone();
    damaged[8_192..12_288].fill(0xa5);
    assert_eq!(refusal(&damaged), "it is not a sound database");
    assert_eq!(refusal(&sound[..sound.len() / 2]), "it is not a sound database");

    assert_eq!(body(&store, "known://a").as_deref(), Some("kept"));
    assert_eq!(home.backup_names(), Vec::<String>::new());
}

/// @backup_restore: a restore works if there is no memory, or only a damaged one, which is moved
/// aside.
#[test]
fn a_restore_works_without_a_sound_memory() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://a", "kept")));
    let saved = home.dir().join("saved.db");
    store.backup_to(&saved).expect("backed up");
    drop(store);

    fs::remove_file(home.database()).expect("removed");
    Store::restore(&saved, &home.options()).expect("restored into nothing");
    assert_eq!(body(&home.open(), "known://a").as_deref(), Some("kept"));

    fs::write(home.database(), vec![0x5a; 20_000]).expect("written");
    let fault = Fault::from(Store::open(&home.options()).err().expect("damaged"));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Internal, "damaged"));
    assert!(fault.next.expect("a way out").contains("nudge restore"));
    Store::restore(&saved, &home.options()).expect("restored over a damaged one");
    assert_eq!(body(&home.open(), "known://a").as_deref(), Some("kept"));
    assert!(home.backup_names().iter().any(|name| name.starts_with("nudge-damaged-")));
}
