//! Purged entries are gone from every file.

use std::path::Path;

use nudge_index::{Budget, Document, Filters, Index, IndexWriter, Query};

use super::memory::{Memory, note};

/// Whether any file of `directory` contains `word`, or any word of a dictionary begins with it.
fn is_anywhere(directory: &Path, word: &str) -> bool {
    let files = std::fs::read_dir(directory).expect("readable");
    let in_bytes = files.into_iter().any(|file| {
        let bytes = std::fs::read(file.expect("readable").path()).expect("readable");
        bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
    });
    in_bytes
        || Index::open(directory).words().expect("an open index").iter().any(|known| known.contains(word))
}

/// @recall_purge After a purge, no file of the index contains a word that only the purged entries
/// had, nor a word of an older version of an entry; everything else is still found.
#[test]
fn purge_leaves_nothing() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    for id in 1..=300 {
        memory.put(note(id, &format!("ordinary entry {id} about the cache")));
    }
    let secret = "qzxjkvwplm";
    memory.put(Document {
        files: vec![format!("src/{secret}/a.rs")],
        ..note(301, &format!("{secret} in the title\nand {secret}Two"))
    });
    memory.put(note(302, &format!("first {secret} then not")));
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    assert!(is_anywhere(home.path(), secret), "the test can see it");
    memory.put(note(302, "harmless now"));
    memory.delete(301);
    writer.catch_up(&memory, Budget::ALL).expect("follows");
    writer.purge(&[301]).expect("purges");
    assert!(!is_anywhere(home.path(), secret));
    let index = Index::open(home.path());
    assert_eq!(index.stored_values(), Ok(0), "nothing but the index holds words");
    let query = Query::parse("ordinary").expect("well-formed");
    assert_eq!(index.count(&memory, &query, &Filters::default(), usize::MAX).expect("searches"), 300);
    let query = Query::parse("harmless").expect("well-formed");
    assert_eq!(index.matching(&memory, &query, &Filters::default()).expect("searches"), [302]);
}

/// @recall_purge Small commits and deletions do not pile up: the directory stays under four times
/// the text.
#[test]
fn small_commits_do_not_pile_up() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    let text =
        "a line of some length about the store, the feed and what was done to src/store/feed.rs in the end ";
    for id in 1..=150_i64 {
        for part in 0..5 {
            memory.put(note(id * 5 + part, &format!("{text}{id} {text}")));
        }
        memory.delete(id * 5 - 7);
        writer.catch_up(&memory, Budget::ALL).expect("follows");
    }
    let files: Vec<u64> = std::fs::read_dir(home.path())
        .expect("readable")
        .map(|file| file.expect("readable").metadata().expect("readable").len())
        .collect();
    let bytes: u64 = files.iter().sum();
    let live = 150 * 5 * (2 * text.len() as u64);
    assert!(bytes < 4 * live, "{bytes} bytes for {live} of text");
    assert!(files.len() < 150, "{} files", files.len());
    let status = Index::open(home.path()).status();
    assert!(status.segments <= 20, "{status:?}");
}
