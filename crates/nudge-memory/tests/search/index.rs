//! The search index: never ahead of the store, never trusted, never in the way.

use std::fs;
use std::time::Duration;

use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_memory::recall::IndexState;
use nudge_memory::upkeep::{
    self,
    purge::{self, Filter},
};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::search::setup::{START, Search, command, failure, fresh, open};

fn now() -> Timestamp {
    Timestamp::from_millis(START + 3_600_000)
}

fn home(bench: &MemoryBench) -> Home {
    Home::locate(Some(bench.dir()), &|_| None).expect("a home")
}

/// @recall_fresh An acknowledged event is found by the next search, whether or not it is indexed.
#[test]
fn what_was_kept_is_found_at_once() {
    let bench = fresh();
    let mut all = Vec::new();
    for number in 0..20 {
        all.push(bench.keep("api", command(&format!("make widget number{number}"))));
        if number % 7 == 3 {
            bench.index();
        }
        let mut found = bench.ids("api", json!({"query": "widget", "limit": 100}));
        found.sort_unstable();
        assert_eq!(found, all);
    }
    assert!(bench.memory.index_lag().expect("known") > 0);
    bench.index();
    assert_eq!(bench.memory.index_lag().expect("known"), 0);
}

/// @recall_fresh While another process writes the index, nobody else does, and searches continue.
#[test]
fn one_writes_and_all_read() {
    let bench = fresh();
    bench.keep("api", command("make widget"));
    bench.index();
    let other = open(bench.dir());
    let writing = nudge_index::IndexWriter::acquire(&bench.dir().join("index")).expect("writable");
    assert!(writing.is_some());
    assert_eq!(other.update_index(Duration::from_secs(1), now()).expect("asked"), None);
    bench.keep("api", command("make widget again"));
    assert_eq!(bench.ids("api", json!({"query": "widget"})).len(), 2);
}

/// @recall_purged Purged text is in no dictionary of the index afterwards, nor is what a summary
/// said about it.
#[test]
fn a_purge_reaches_the_index() {
    let bench = fresh();
    let secret = bench.keep("api", failure("echo zyzzyvapurged", "it failed"));
    for kept in ["quagmirekept", "two", "three"] {
        bench.keep("api", command(&format!("echo {kept}")));
    }
    let later = Timestamp::from_millis(START + 86_400_000);
    assert!(upkeep::upkeep(&bench.memory, later).iter().all(|step| step.failed.is_none()));
    let summed_up = || bench.search("api", json!({"query": "codex", "obs_type": "session_summary"}));
    let reported = |answer: &Value| {
        let id = answer["results"][0]["id"].as_i64().expect("a summary");
        (id, bench.whole(id)["content"].as_str().expect("a text").to_owned())
    };
    let (before, text) = reported(&summed_up());
    assert!(text.contains("zyzzyvapurged"), "{text}");
    bench.index();
    let words = || bench.memory.index().words().expect("readable");
    assert!(words().iter().any(|word| word.contains("zyzzyvapurg")));
    assert_eq!(bench.ids("api", json!({"query": "zyzzyvapurged"})).len(), 2);
    let filter = Filter { ids: Some(vec![nudge_core::EntryId(secret)]), ..Filter::default() };
    let purged = purge::purge(&bench.memory, &home(&bench), &filter, now()).expect("purged");
    assert!(purged.index_cleared);
    assert!(!words().iter().any(|word| word.contains("zyzzyva")));
    assert!(words().iter().any(|word| word.contains("quagmirekept")));
    for entry in fs::read_dir(bench.dir().join("index")).expect("listed").flatten() {
        let bytes = fs::read(entry.path()).expect("readable");
        assert!(!bytes.windows(7).any(|window| window == b"zyzzyva"), "{:?}", entry.path());
    }
    assert_eq!(bench.search("api", json!({"query": "zyzzyvapurged"})), json!({"results": []}));
    let (after, text) = reported(&summed_up());
    assert!(after != before && !text.contains("zyzzyva"), "{text}");
}

/// @recall_restored After a restore the index of the other memory is not trusted, and is rebuilt.
#[test]
fn a_restored_memory_has_another_index() {
    let mut bench = fresh();
    let home = home(&bench);
    let kept = bench.keep("api", command("make widget"));
    let copy = bench.dir().join("copy.db");
    upkeep::backup(&home, &copy, now()).expect("copied");
    bench.keep("api", command("make widget later"));
    bench.index();
    upkeep::restore(&home, &copy, now()).expect("restored");
    bench.memory = open(bench.dir());
    assert_eq!(bench.ids("api", json!({"query": "widget"})), [kept]);
    bench.index();
    assert_eq!(bench.memory.index().status().state, IndexState::Ready);
    assert_eq!(bench.ids("api", json!({"query": "widget"})), [kept]);
}
