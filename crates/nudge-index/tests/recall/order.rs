//! The order of hits.

use std::path::Path;

use nudge_index::{Budget, Document, Filters, Index, IndexWriter, Order, Page, Query};

use super::memory::{Memory, note};

const DAY: i64 = 24 * 3600 * 1000;

fn ids(index: &Index, memory: &Memory, query: &Query, order: Order, page: Page, now: i64) -> Vec<i64> {
    let hits = index.search(memory, query, &Filters::default(), order, page, now).expect("searches");
    hits.hits.iter().map(|hit| hit.id).collect()
}

/// The index in a directory, with all of a memory in it.
fn built(home: &Path, memory: &Memory) -> Index {
    let writer = IndexWriter::acquire(home).expect("writable");
    writer.expect("free").catch_up(memory, Budget::ALL).expect("builds");
    Index::open(home)
}

/// @recall_order The best answer comes first: more of the query, rarer words, the title before the
/// body; of equals, the newer.
#[test]
fn the_best_answer_comes_first() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::of(&[
        "cache\neviction policy and other things that were discussed",
        "cache eviction policy",
        "cache",
        "notes\ncache cache cache",
        "cache",
    ]);
    let query = Query::of_prompt("the policy of cache eviction").expect("it has words");
    let in_scan = ids(&Index::open(home.path()), &memory, &query, Order::Relevance, Page::default(), 0);
    let index = built(home.path(), &memory);
    assert_eq!(ids(&index, &memory, &query, Order::Relevance, Page::default(), 0), [2, 1, 5, 3, 4]);
    assert_eq!(in_scan, [2, 1, 5, 3, 4], "a scan ranks alike");
    let hits = index
        .search(&memory, &query, &Filters::default(), Order::Relevance, Page::default(), 0)
        .expect("searches");
    assert_eq!(hits.hits[1].matched, ["policy", "title:cache", "eviction"]);
    assert_eq!((hits.hits[0].covered, hits.hits[0].covered_by_title), (1.0, 1.0));
    assert!(hits.hits[1].covered == 1.0 && hits.hits[1].covered_by_title < 0.5);
    assert_eq!(hits.total, Some(5));
}

/// @recall_order In the blended order, a fresh entry may pass a better but old answer.
#[test]
fn blended_prefers_the_fresh() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    let now = 100 * DAY;
    memory.put(Document { at: 10 * DAY, ..note(1, "cache eviction") });
    memory.put(Document { at: now - DAY, ..note(2, "cache eviction and some more words beside it") });
    for id in 3..300 {
        memory.put(Document { at: 10 * DAY, ..note(id, "other eviction words about nothing at all") });
    }
    let index = built(home.path(), &memory);
    let query = Query::parse("cache OR eviction").expect("well-formed");
    let first = |order| ids(&index, &memory, &query, order, Page { limit: 2, offset: 0 }, now);
    assert_eq!(first(Order::Relevance), [1, 2]);
    assert_eq!(first(Order::Blended), [2, 1]);
}

/// @recall_order Pages follow one another without a gap and without a repetition.
#[test]
fn pages_add_up() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    for id in 1..=350 {
        // Every fifth is long, which counts against it, and has the word in its title, which counts
        // when it is rescored.
        let (title, length) = if id % 5 == 0 { ("common", 40) } else { ("note", id as usize % 7) };
        memory.put(note(id, &format!("{title}\ncommon {}", "filler ".repeat(length))));
    }
    IndexWriter::acquire(home.path())
        .expect("writable")
        .expect("free")
        .catch_up(&memory, Budget::ALL)
        .expect("builds");
    memory.put(note(351, "common tail"));
    let index = Index::open(home.path());
    let query = Query::parse("common").expect("well-formed");
    for (order, limit) in [(Order::Relevance, 40), (Order::Blended, 40), (Order::Blended, 7)] {
        let mut all = Vec::new();
        for offset in (0..400).step_by(limit) {
            all.extend(ids(&index, &memory, &query, order, Page { limit, offset }, 0));
        }
        assert_eq!(all.len(), 351, "{order:?}");
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 351, "{order:?}");
    }
}

/// @recall_all_words_first Entries with all the words come first, then those with some, and pages
/// add up; index and scan alike.
#[test]
fn the_rest_follows() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory =
        Memory::of(&["router", "deadline", "router deadline", "other", "deadline of the router", "router"]);
    let query = Query::parse("router deadline").expect("well-formed");
    let all = |index: &Index| {
        let page = |offset| Page { limit: 2, offset };
        let found = [0, 2, 4].map(|offset| ids(index, &memory, &query, Order::Relevance, page(offset), 0));
        found.concat()
    };
    assert_eq!(all(&Index::open(home.path())), [3, 5, 2, 6, 1]);
    let index = built(home.path(), &memory);
    assert_eq!(all(&index), [3, 5, 2, 6, 1]);
    let hits = index
        .search(&memory, &query, &Filters::default(), Order::Relevance, Page::default(), 0)
        .expect("searches");
    let has_all: Vec<bool> = hits.hits.iter().map(|hit| hit.has_all).collect();
    assert_eq!((has_all, hits.is_relaxed), (vec![true, true, false, false, false], false));
}

/// @recall_kinds_weigh Of similar hits, those of a faint kind come last; a session can be excluded.
#[test]
fn faint_kinds_come_last() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    memory.put(Document { session: 1, ..note(1, "router deadline") });
    memory.put(Document { kind: 6, ..note(2, "router deadline") });
    memory.put(Document { kind: 6, ..note(3, "router") });
    memory.put(note(4, "router"));
    let query = Query::parse("router").expect("well-formed");
    let found = |filters: &Filters| {
        let hits = Index::open(home.path())
            .search(&memory, &query, filters, Order::Relevance, Page::default(), 0)
            .expect("searches");
        hits.hits.iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    let faint = Filters { faint: vec![6], ..Filters::default() };
    let others = Filters { other_session: Some(1), ..faint.clone() };
    for _ in 0..2 {
        assert_eq!(found(&Filters::default()), [4, 3, 2, 1]);
        assert_eq!(found(&faint), [4, 1, 3, 2]);
        assert_eq!(found(&others), [4, 3, 2]);
        IndexWriter::acquire(home.path())
            .expect("writable")
            .expect("free")
            .catch_up(&memory, Budget::ALL)
            .expect("builds");
    }
}
