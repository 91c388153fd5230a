//! The change feed: order, readers, trimming.

use nudge_core::{EntryId, Fault, FaultKind, Timestamp};
use nudge_store::{Change, ChangeKind, Durability, FeedReader, SecretPolicy, Store, StoreError};

use crate::support::{Home, NOW, after, entry, hint, read, write};

fn changes(store: &Store, position: i64) -> Vec<(i64, &'static str, ChangeKind, i64)> {
    let page = read(store, |reader| reader.feed_after(position, 1000));
    page.changes
        .into_iter()
        .map(|change| {
            let scheme = if change.scheme == "hint" { "hint" } else { "known" };
            (change.entry.0, scheme, change.kind, change.version)
        })
        .collect()
}

fn fill(store: &Store, count: usize) {
    let mut draft = entry("known://a", "x");
    draft.secrets = SecretPolicy::Allow;
    for begin in (0..count).step_by(5_000) {
        store
            .write(Durability::Passive, |writer| {
                (begin..count.min(begin + 5_000)).try_for_each(|_| writer.put_entry(&draft).map(drop))
            })
            .expect("written");
    }
}

/// @kernel_change_feed: every write appends its change in the same transaction, in order.
#[test]
fn every_write_appears_in_order() {
    let home = Home::new();
    let store = home.open();
    let known = write(&store, |writer| writer.put_entry(&entry("known://a", "one"))).id;
    write(&store, |writer| writer.put_entry(&entry("known://a", "two")));
    let hinted = write(&store, |writer| writer.put_hint(&hint("api", "build", "make"))).id;
    write(&store, |writer| writer.use_hint(hinted, 1, NOW));
    write(&store, |writer| writer.delete_entry(known, NOW));
    assert_eq!(
        changes(&store, 0),
        [
            (known.0, "known", ChangeKind::Created, 1),
            (known.0, "known", ChangeKind::Updated, 2),
            (hinted.0, "hint", ChangeKind::Created, 1),
            (hinted.0, "hint", ChangeKind::Used, 1),
            (known.0, "known", ChangeKind::Deleted, 2),
        ]
    );
}

/// @kernel_change_feed: a page continues where the last one ended, and names the head.
#[test]
fn a_reader_pages_from_its_own_position() {
    let home = Home::new();
    let store = home.open();
    for number in 0..5 {
        write(&store, |writer| writer.put_entry(&entry(&format!("known://{number}"), "x")));
    }
    let first = read(&store, |reader| reader.feed_after(0, 2));
    assert_eq!(first.changes.len(), 2);
    assert_eq!(
        first.changes[0],
        Change {
            position: 1,
            entry: EntryId(1),
            scheme: "known".to_owned(),
            scope: Some(entry("known://0", "x").scope),
            kind: ChangeKind::Created,
            version: 1,
            at: NOW,
        }
    );
    let rest = read(&store, |reader| reader.feed_after(first.changes[1].position, 100));
    assert_eq!((rest.changes.len(), rest.head), (3, 5));
    let end = read(&store, |reader| reader.feed_after(rest.head, 100));
    assert_eq!((end.changes, end.head), (vec![], 5));
}

/// How many rows are kept even if every reader has seen them.
const KEPT: i64 = 100_000;
const LATER: u64 = 2 * 86_400_000;

/// @kernel_feed_trimming: changes that a known reader has not seen are not trimmed; those that all
/// have seen are.
#[test]
fn the_slowest_reader_holds_the_trimming_back() {
    let home = Home::new();
    let store = home.open();
    let (slow, fast) = (20, KEPT + 50);
    fill(&store, (KEPT + 50) as usize);
    write(&store, |writer| writer.advance_feed_reader("fast", fast, after(LATER)));
    write(&store, |writer| writer.advance_feed_reader("slow", slow, after(LATER)));
    assert_eq!(write(&store, |writer| writer.sweep(after(LATER))).feed_rows, 20);
    assert_eq!(read(&store, |reader| reader.feed_after(20, 100)).changes.len(), 100);
    assert_eq!(
        read(&store, |reader| reader.feed_readers()),
        [
            FeedReader { name: "slow".to_owned(), position: slow, seen_at: after(LATER) },
            FeedReader { name: "fast".to_owned(), position: fast, seen_at: after(LATER) },
        ]
    );

    let gone = store.read(|reader| reader.feed_after(19, 100)).expect_err("trimmed");
    assert!(matches!(gone, StoreError::FeedGone { oldest: 20 }));
    let fault = Fault::from(gone);
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::NotFound, "feed_gone"));

    assert!(write(&store, |writer| writer.forget_feed_reader("slow")));
    assert_eq!(write(&store, |writer| writer.sweep(after(LATER))).feed_rows, 30);
    let page = read(&store, |reader| reader.feed_after(fast, 100));
    assert_eq!((page.changes, page.head), (vec![], fast), "a feed that is read still knows its head");
}

/// @kernel_feed_trimming: changes younger than a day stay, even if everybody has seen them.
#[test]
fn the_last_day_stays_for_listeners_that_come_back() {
    let home = Home::new();
    let store = home.open();
    fill(&store, (KEPT + 500) as usize);
    write(&store, |writer| writer.advance_feed_reader("index", KEPT + 500, NOW));
    assert_eq!(write(&store, |writer| writer.sweep(after(86_000_000))).feed_rows, 0);
    assert_eq!(write(&store, |writer| writer.sweep(after(86_400_001))).feed_rows, 500);
}

/// @kernel_feed_trimming: the newest 100,000 changes stay, however old they are.
#[test]
fn the_newest_hundred_thousand_stay() {
    let home = Home::new();
    let store = home.open();
    fill(&store, 10);
    write(&store, |writer| writer.advance_feed_reader("index", 10, after(LATER)));
    assert_eq!(write(&store, |writer| writer.sweep(after(LATER))).feed_rows, 0);
    fill(&store, 105_000);
    assert_eq!(store.stats().expect("counted").feed_head, 105_010);
    write(&store, |writer| writer.advance_feed_reader("index", 105_010, after(LATER)));
    write(&store, |writer| writer.sweep(after(LATER)));
    assert_eq!(store.stats().expect("counted").feed_floor, 5_010);
}

/// @kernel_feed_trimming: a reader that was silent for a month no longer delays trimming.
#[test]
fn a_reader_that_never_returns_is_forgotten() {
    let home = Home::new();
    let store = home.open();
    let month = 40 * 86_400_000;
    fill(&store, (KEPT + 10) as usize);
    write(&store, |writer| writer.advance_feed_reader("lost", 2, NOW));
    write(&store, |writer| writer.advance_feed_reader("alive", KEPT + 10, after(month)));
    assert_eq!(write(&store, |writer| writer.sweep(after(month))).feed_rows, 10);
    let names: Vec<String> =
        read(&store, |reader| reader.feed_readers()).into_iter().map(|reader| reader.name).collect();
    assert_eq!(names, ["alive"]);
}

/// @kernel_change_feed: a position beyond the head belongs to another store; the reader starts
/// over.
#[test]
fn a_position_from_the_future_is_gone_too() {
    let home = Home::new();
    let store = home.open();
    fill(&store, 1);
    let outcome = store.read(|reader| reader.feed_after(2, 9));
    assert!(matches!(outcome, Err(StoreError::FeedGone { oldest: 0 })));
    let outcome = store.write(Durability::Passive, |writer| writer.advance_feed_reader("x", 2, NOW));
    assert!(matches!(outcome, Err(StoreError::FeedGone { oldest: 0 })));
}

/// @kernel_change_feed: a new reader begins at the head; a returning one continues where it was.
#[test]
fn registering_twice_keeps_the_position() {
    let home = Home::new();
    let store = home.open();
    fill(&store, 4);
    let register = |now: Timestamp| write(&store, |writer| writer.register_feed_reader("index", now));
    assert_eq!(register(NOW), 4);
    fill(&store, 2);
    assert_eq!(register(after(5)), 4);
}
