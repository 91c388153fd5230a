//! A database that existed and is gone.

use std::fs;
use std::thread;

use nudge_core::Fault;
use nudge_store::{Durability, Loss, OpenOptions, Store, StoreError};

use crate::support::{Home, body, entry, write};

fn loss(opened: Result<Store, StoreError>) -> Option<Loss> {
    match opened.err() {
        Some(StoreError::Gone { loss }) => Some(loss),
        other => panic!("not refused as gone: {other:?}"),
    }
}

fn filled() -> Home {
    let home = Home::new();
    write(&home.open(), |writer| writer.put_entry(&entry("known://a", "kept")));
    home
}

/// @kernel_lost_database: a removed or truncated database is rejected by every process that opens
/// it, and the files next to it stay as they are.
#[test]
fn a_lost_database_does_not_become_a_new_one() {
    for (is_cut, expected) in [(false, Loss::Removed), (true, Loss::Emptied)] {
        let home = filled();
        fs::remove_file(home.database()).expect("there");
        if is_cut {
            fs::write(home.database(), "").expect("writable");
        }
        let log = home.dir().join("nudge.db-wal");
        fs::write(&log, "pages that were not written back").expect("writable");
        let read_only = OpenOptions { read_only: true, ..home.options() };
        assert_eq!(loss(Store::open(&home.options())), Some(expected));
        assert_eq!(loss(Store::open(&read_only)), Some(expected));
        assert_eq!(loss(Store::open_promptly(&home.options())), Some(expected));
        assert_eq!(home.database().exists(), is_cut);
        assert!(fs::read(&log).expect("there").starts_with(b"pages"));
        let fault = Fault::from(Store::open(&home.options()).err().expect("refused"));
        let way_out = fault.next.expect("a way out");
        assert!(way_out.contains("nudge restore"), "{way_out}");
    }
}

/// @kernel_lost_database: it can be replaced by a backup or by an empty memory; leftover files go
/// to the backups.
#[test]
fn it_is_restored_or_begun_anew() {
    let home = filled();
    let copy = home.dir().join("copy.db");
    home.open().backup_to(&copy).expect("copied");
    fs::remove_file(home.database()).expect("there");
    fs::write(home.dir().join("nudge.db-wal"), "left").expect("writable");
    Store::restore(&copy, &home.options()).expect("restored");
    assert_eq!(body(&home.open(), "known://a").as_deref(), Some("kept"));
    assert_eq!(home.backup_names(), ["nudge-damaged-2026-11-15T06-10-27.123Z.db-wal"]);

    fs::write(home.database(), "").expect("cut");
    Store::replace_lost_store(&home.options()).expect("made");
    assert_eq!(body(&home.open(), "known://a"), None);
    fs::remove_file(home.database()).expect("there");
    assert_eq!(loss(Store::open(&home.options())), Some(Loss::Removed), "it is missed as the first one was");
}

/// @kernel_lost_database: an open store does not acknowledge writes that nobody will read, and does
/// not continue with another file.
#[test]
fn a_write_to_a_lost_file_is_not_acknowledged() {
    let home = filled();
    let store = home.open();
    let attempt = || {
        let kept = store.write(Durability::Passive, |writer| writer.put_entry(&entry("known://b", "x")));
        match kept {
            Err(StoreError::Gone { loss }) => Some(loss),
            other => panic!("acknowledged: {other:?}"),
        }
    };
    let aside = home.dir().join("aside");
    fs::rename(home.database(), &aside).expect("moved");
    assert_eq!(attempt(), Some(Loss::Removed));
    assert!(!home.database().exists(), "nothing is made in its place");
    fs::copy(&aside, home.database()).expect("another file");
    assert_eq!(attempt(), Some(Loss::Replaced));
    // Two readers at once need a second connection, which must not open the other file.
    let read = store.read(|_| store.read(|_| Ok::<_, StoreError>(())));
    assert!(matches!(read, Err(StoreError::Gone { loss: Loss::Replaced })), "{read:?}");
}

/// @kernel_lost_database: nor does it acknowledge writes after its file was truncated in place.
#[test]
fn a_write_to_an_emptied_file_is_not_acknowledged() {
    let home = filled();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://b", "before")));
    fs::File::options().write(true).open(home.database()).expect("there").set_len(0).expect("cut");
    for _ in 0..3 {
        let kept = store.write(Durability::Passive, |writer| writer.put_entry(&entry("known://c", "after")));
        assert!(matches!(kept, Err(StoreError::Gone { loss: Loss::Emptied })), "{kept:?}");
    }
}

/// @kernel_lost_database: processes that open a new home at the same time do not mistake each
/// other's start for a loss.
#[test]
fn a_first_run_is_no_loss() {
    for _ in 0..20 {
        let home = Home::new();
        thread::scope(|scope| {
            for number in 0..6 {
                let home = &home;
                scope.spawn(move || {
                    let open = if number % 2 == 0 { Store::open } else { Store::open_promptly };
                    write(&open(&home.options()).expect("opens"), |writer| {
                        writer.put_entry(&entry(&format!("known://{number}"), "x"))
                    })
                });
            }
        });
        assert_eq!(home.open().stats().expect("counted").entries, 6);
    }
    // An empty file that was never a memory counts as none.
    let home = Home::new();
    fs::write(home.database(), "").expect("writable");
    write(&home.open(), |writer| writer.put_entry(&entry("known://a", "x")));
}
