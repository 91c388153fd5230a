//! The latest writes are found at once.

use nudge_index::{Budget, Filters, Index, IndexWriter, Order, Page, Query, State};

use super::memory::{Memory, note};

/// @recall_tail The first search after a write finds the entry, a changed one in its current state,
/// a deleted one not.
#[test]
fn the_first_search_after_a_write_finds_it() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::of(&["alpha one", "beta two", "gamma three"]);
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    let index = Index::open(home.path());
    let find = |text: &str| {
        let query = Query::parse(text).expect("well-formed");
        let hits = index
            .search(&memory, &query, &Filters::default(), Order::Relevance, Page::default(), 0)
            .expect("searches");
        (hits.hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), hits.scanned)
    };
    assert_eq!(find("alpha"), (vec![1], 0));
    memory.put(note(4, "alpha four"));
    memory.put(note(2, "delta two"));
    memory.delete(1);
    assert_eq!(find("alpha"), (vec![4], 2));
    assert_eq!(find("beta"), (vec![], 2));
    assert_eq!(find("delta"), (vec![2], 2));
    let progress = writer.catch_up(&memory, Budget::ALL).expect("follows");
    assert!(progress.is_complete && !progress.was_restarted);
    assert_eq!(find("alpha"), (vec![4], 0));
    assert_eq!(find("beta"), (vec![], 0));
    assert_eq!(index.status().documents, 3);
}

/// @recall_tail A half-built index is used for what it has, and the rest is scanned.
#[test]
fn a_half_built_index_helps_already() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    for id in 1..=3500 {
        memory.put(note(id, &format!("common word{id}")));
    }
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    let progress = writer.catch_up(&memory, Budget { documents: 1500, until: None }).expect("begins");
    assert!(progress.was_restarted && !progress.is_complete && progress.documents == 2000);
    let index = Index::open(home.path());
    let query = Query::parse("common").expect("well-formed");
    let count =
        |index: &Index| index.count(&memory, &query, &Filters::default(), usize::MAX).expect("searches");
    assert_eq!(index.status().state, State::Building);
    assert_eq!(count(&index), 3500);
    memory.put(note(7, "changed"));
    memory.delete(3499);
    assert_eq!(count(&index), 3498);
    drop(writer);
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    let progress = writer.catch_up(&memory, Budget::ALL).expect("goes on");
    assert!(
        progress.is_complete && !progress.was_restarted,
        "the build goes on where it stopped: {progress:?}"
    );
    assert_eq!(index.status().state, State::Ready);
    assert_eq!((count(&index), index.status().documents), (3498, 3499));
}

/// @recall_tail A feed that no longer reaches back to the index makes the search scan, and the
/// writer start from scratch.
#[test]
fn a_trimmed_feed_costs_time_only() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::of(&["alpha one", "beta two"]);
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    memory.put(note(3, "alpha three"));
    memory.trim();
    let index = Index::open(home.path());
    let query = Query::parse("alpha").expect("well-formed");
    assert_eq!(index.matching(&memory, &query, &Filters::default()).expect("searches"), [1, 3]);
    assert!(writer.catch_up(&memory, Budget::ALL).expect("builds").was_restarted);
    assert_eq!(index.matching(&memory, &query, &Filters::default()).expect("searches"), [1, 3]);
}
