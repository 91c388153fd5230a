//! Notes survive, and the file never grows.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use tempfile::TempDir;

use super::*;

fn drops(dir: &Path) -> Drops {
    let home = Home::locate(Some(dir), &|_| None).expect("absolute");
    Drops::of(&home)
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[test]
fn a_note_says_what_why_and_when() {
    let dir = TempDir::new().expect("temporary directory");
    let drops = drops(dir.path());
    assert_eq!(drops.read().expect("readable"), DropReport::default());
    drops.note(hash_of(b"one"), DropReason::DiskFull, at(5)).expect("noted");
    drops.note(hash_of(b"two"), DropReason::Torn, at(7)).expect("noted");
    let report = drops.read().expect("readable");
    let dropped = |payload: &[u8], reason, when| Dropped { hash: hash_of(payload), reason, at: at(when) };
    let slots = vec![dropped(b"one", DropReason::DiskFull, 5), dropped(b"two", DropReason::Torn, 7)];
    let by_reason = [("disk_full", 1), ("torn", 1)].into();
    assert_eq!(report, DropReport { total: 2, by_reason, newest: Some(at(7)), slots });
}

#[test]
fn the_file_has_its_size_from_the_beginning_and_is_private() {
    let dir = TempDir::new().expect("temporary directory");
    let drops = drops(dir.path());
    drops.ensure().expect("made");
    let facts = drops.path.metadata().expect("there");
    assert_eq!((facts.len(), facts.permissions().mode() & 0o777), (FILE_BYTES, 0o600));
    // The blocks (512 bytes each) are really allocated; the file is not sparse.
    assert!(std::os::unix::fs::MetadataExt::blocks(&facts) * 512 >= FILE_BYTES);
    drops.note([1; 16], DropReason::Unwritable, at(1)).expect("noted");
    assert_eq!(drops.path.metadata().expect("there").len(), FILE_BYTES);
}

#[test]
fn nothing_beyond_the_size_of_the_record_is_read() {
    let dir = TempDir::new().expect("temporary directory");
    let drops = drops(dir.path());
    drops.note([1; 16], DropReason::Torn, at(1)).expect("noted");
    let file = OpenOptions::new().write(true).open(&drops.path).expect("opened");
    let beyond = Dropped { hash: [2; 16], reason: DropReason::Torn, at: at(2) };
    Slot { number: 2, dropped: beyond }.write(&file, FILE_BYTES).expect("written");
    assert_eq!(drops.read().expect("readable").total, 1);
}

#[test]
fn when_it_is_full_the_oldest_become_counts() {
    let dir = TempDir::new().expect("temporary directory");
    let drops = drops(dir.path());
    for n in 0..SLOT_COUNT + 10 {
        let reason = if n < 4 { DropReason::Torn } else { DropReason::DiskFull };
        drops.note(hash_of(&n.to_le_bytes()), reason, at(n as i64)).expect("noted");
    }
    let report = drops.read().expect("readable");
    assert_eq!(report.total, SLOT_COUNT + 10);
    assert_eq!(report.by_reason, [("disk_full", SLOT_COUNT + 6), ("torn", 4)].into());
    assert_eq!(report.slots.len() as u64, SLOT_COUNT);
    assert_eq!(report.slots[0].hash, hash_of(&10u64.to_le_bytes()));
    assert_eq!(drops.path.metadata().expect("there").len(), FILE_BYTES);
}

#[test]
fn a_spoilt_header_or_slot_costs_no_more_than_itself() {
    let dir = TempDir::new().expect("temporary directory");
    let drops = drops(dir.path());
    for n in 0..3 {
        drops.note([n; 16], DropReason::DiskFull, at(i64::from(n))).expect("noted");
    }
    let file = OpenOptions::new().write(true).open(&drops.path).expect("opened");
    file.write_all_at(b"garbage!", 0).expect("spoilt");
    file.write_all_at(b"garbage!", SLOTS_AT + SLOT_BYTES).expect("spoilt");
    drops.note([9; 16], DropReason::DiskFull, at(9)).expect("noted");
    let hashes: Vec<u8> = drops.read().expect("readable").slots.iter().map(|slot| slot.hash[0]).collect();
    assert_eq!(hashes, [0, 2, 9]);
}

#[test]
fn many_at_once_each_have_their_slot() {
    let dir = TempDir::new().expect("temporary directory");
    std::thread::scope(|scope| {
        for n in 0..8u8 {
            let drops = drops(dir.path());
            scope.spawn(move || {
                for _ in 0..20 {
                    // Eight threads in one queue may wait longer than a hook would.
                    while drops.note([n; 16], DropReason::DiskFull, at(1)).is_err() {}
                }
            });
        }
    });
    assert_eq!(drops(dir.path()).read().expect("readable").slots.len(), 160);
}
