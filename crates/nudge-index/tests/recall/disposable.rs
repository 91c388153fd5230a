//! Whatever happens to the index, the answers stay the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nudge_index::{Budget, Filters, Index, IndexWriter, Query, State};

use super::memory::{Memory, note, scanned};

const QUERIES: [&str; 9] = [
    "cache",
    "cache NOT store",
    "cache NOT \"the store\"",
    "\"the cache\"",
    "sto*",
    "store OR entry7",
    "src/m3.rs",
    "why is the store so slow today",
    "zzz",
];

pub(super) fn filled(entries: i64) -> Memory {
    let memory = Memory::default();
    for id in 1..=entries {
        let what = ["the cache", "a store", "the store and the cache"][id as usize % 3];
        memory.put(note(id, &format!("entry{id} touches {what}\nin src/m{}.rs", id % 10)));
    }
    memory
}

/// Every query finds what a scan finds.
pub(super) fn answers_are_right(directory: &Path, memory: &Memory) {
    answers_of(&Index::open(directory), memory);
}

pub(super) fn answers_of(index: &Index, memory: &Memory) {
    for text in QUERIES {
        let query = Query::parse(text).expect("well-formed");
        let filters = Filters::default();
        let found = index.matching(memory, &query, &filters).expect("searches");
        assert_eq!(found, scanned(memory, &query, &filters), "{text}");
    }
}

pub(super) fn built(memory: &Memory) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a temporary directory");
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(memory, Budget::ALL).expect("builds");
    home
}

/// The answers are right before and after the index is rebuilt, and then it can be used.
pub(super) fn recovers(directory: &Path, memory: &Memory, state: State) {
    assert_eq!(Index::open(directory).status().state, state);
    answers_are_right(directory, memory);
    let mut writer = IndexWriter::acquire(directory).expect("writable").expect("free");
    assert!(writer.catch_up(memory, Budget::ALL).expect("builds").was_restarted);
    assert_eq!(Index::open(directory).status().state, State::Ready);
    answers_are_right(directory, memory);
}

pub(super) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).expect("readable").map(|file| file.expect("readable").path()).collect();
    files.retain(|file| !file.to_string_lossy().ends_with(".lock"));
    files.sort();
    files
}

/// @recall_index_disposable Without an index, or after it was deleted, everything is found.
#[test]
fn deleted() {
    let memory = filled(200);
    let home = built(&memory);
    answers_are_right(home.path(), &memory);
    fs::remove_dir_all(home.path()).expect("removable");
    recovers(home.path(), &memory, State::Missing);
}

/// @recall_index_disposable Each file in turn is cut to half its length, emptied or removed: the
/// damage is detected, and answers are never wrong.
#[test]
fn truncated() {
    let memory = filled(200);
    for number in 0..files(built(&memory).path()).len() {
        for is_emptied in [true, false] {
            let home = built(&memory);
            let file = &files(home.path())[number];
            let bytes = fs::read(file).expect("readable");
            fs::write(file, &bytes[..if is_emptied { 0 } else { bytes.len() / 2 }]).expect("writable");
            answers_are_right(home.path(), &memory);
            fs::remove_file(file).expect("removable");
            answers_are_right(home.path(), &memory);
        }
    }
}

/// @recall_index_disposable A flipped bit anywhere is detected before the index answers anything.
#[test]
fn flipped() {
    let memory = filled(200);
    for number in 0..files(built(&memory).path()).len() {
        let home = built(&memory);
        let file = &files(home.path())[number];
        let bytes = fs::read(file).expect("readable");
        for place in (0..bytes.len()).step_by((bytes.len() / 8).max(1)) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << (place % 8);
            fs::write(file, flipped).expect("writable");
            answers_are_right(home.path(), &memory);
        }
    }
    let home = built(&memory);
    let postings =
        files(home.path()).into_iter().find(|file| file.extension().is_some_and(|end| end == "idx"));
    let postings = postings.expect("an index has postings");
    let mut bytes = fs::read(&postings).expect("readable");
    bytes[20] ^= 4;
    fs::write(&postings, bytes).expect("writable");
    recovers(home.path(), &memory, State::Damaged);
}

/// @recall_index_disposable A copy of an index can be used, although its files have other times.
#[test]
fn copied() {
    let memory = filled(50);
    let home = built(&memory);
    let copy = tempfile::tempdir().expect("a temporary directory");
    for file in files(home.path()) {
        let name = file.file_name().expect("a file");
        fs::write(copy.path().join(name), fs::read(&file).expect("readable")).expect("writable");
    }
    assert_eq!(Index::open(copy.path()).status().state, State::Ready);
    answers_are_right(copy.path(), &memory);
}

/// @recall_index_disposable An index of another store, or of a later state than the store's, is not
/// used.
#[test]
fn of_another_store() {
    let memory = filled(50);
    let home = built(&memory);
    let mut other = filled(20);
    other.lineage = 7;
    answers_are_right(home.path(), &other);
    let restored = filled(20);
    answers_are_right(home.path(), &restored);
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    assert!(writer.catch_up(&restored, Budget::ALL).expect("builds").was_restarted);
    answers_are_right(home.path(), &restored);
}

/// @recall_index_disposable An index of another version of the analyzer is not used.
#[test]
fn of_another_version() {
    let memory = filled(50);
    let home = built(&memory);
    let list = home.path().join("meta.json");
    let text = fs::read_to_string(&list).expect("readable");
    assert!(text.contains("[3,2]"), "the version stands in the list of segments: {text}");
    fs::write(&list, text.replace("[3,2]", "[1,2]")).expect("writable");
    recovers(home.path(), &memory, State::OtherVersion);
}

/// @recall_index_disposable A read-only directory is read like any other.
#[cfg(unix)]
#[test]
fn read_only() {
    use std::os::unix::fs::PermissionsExt;
    let memory = filled(50);
    let home = built(&memory);
    memory.put(note(51, "the cache of the tail"));
    let allow = |mode| fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).expect("ours");
    let before = files(home.path());
    allow(0o500);
    assert_eq!(Index::open(home.path()).status().state, State::Ready);
    answers_are_right(home.path(), &memory);
    allow(0o700);
    assert_eq!(files(home.path()), before, "reading leaves no file behind");
}

/// @recall_index_disposable One writer at a time; the lock of a dead one is free, and its
/// unfinished commit changes no answer.
#[test]
fn killed_in_mid_commit() {
    if let Some(directory) = std::env::var_os(VICTIM) {
        return write_for_ever(Path::new(&directory));
    }
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = filled(ENTRIES);
    for round in 0..10_u64 {
        let mut victim = victim(home.path());
        std::thread::sleep(Duration::from_millis(31 * round));
        assert!(IndexWriter::acquire(home.path()).expect("writable").is_none(), "one writer at a time");
        victim.kill().expect("ours");
        victim.wait().expect("ends");
        answers_are_right(home.path(), &memory);
        let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("the dead hold no lock");
        writer.catch_up(&memory, Budget::ALL).expect("recovers");
        drop(writer);
        answers_are_right(home.path(), &memory);
    }
}

/// @recall_index_disposable An open index answers correctly at all times while another process
/// writes, merges and rebuilds it.
#[test]
fn read_while_written() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = filled(ENTRIES);
    for round in 0..20_000 {
        // This store already has what the other process will add: its index is never ahead of this
        // store.
        memory.put(memory_row(&memory, round % 39 + 1));
    }
    let index = Index::open(home.path());
    let mut victim = victim(home.path());
    let begun = Instant::now();
    let mut used = 0;
    // Four seconds, longer only on a busy machine.
    while begun.elapsed() < Duration::from_secs(if used > 2 { 4 } else { 60 }) {
        answers_of(&index, &memory);
        used += usize::from(matches!(index.status().state, State::Ready | State::Building));
    }
    victim.kill().expect("ours");
    victim.wait().expect("ends");
    assert!(used > 2, "the index was used while it was written");
}

/// More than a batch, so that a build is seen half done.
const ENTRIES: i64 = 1500;

/// Names the directory that a second process of this test writes to.
const VICTIM: &str = "NUDGE_INDEX_TEST_VICTIM";

/// A process that holds the lock of `directory` and writes forever.
fn victim(directory: &Path) -> Child {
    let victim = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "recall::disposable::killed_in_mid_commit", "--nocapture"])
        .env(VICTIM, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    while IndexWriter::acquire(directory).expect("writable").is_some() {
        std::thread::sleep(Duration::from_millis(5));
    }
    victim
}

/// Commits a little at a time and sometimes starts from scratch, until it is killed.
fn write_for_ever(directory: &Path) {
    let memory = filled(ENTRIES);
    let mut writer = loop {
        match IndexWriter::acquire(directory).expect("writable") {
            Some(writer) => break writer,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    loop {
        writer.rebuild(&memory, Budget { documents: 1, until: None }).expect("writes");
        while !writer.catch_up(&memory, Budget { documents: 1, until: None }).expect("writes").is_complete {}
        for id in 1..40 {
            memory.put(memory_row(&memory, id));
            writer.catch_up(&memory, Budget::ALL).expect("writes");
        }
    }
}

fn memory_row(memory: &Memory, id: i64) -> nudge_index::Document {
    use nudge_index::Source;
    memory.documents(&[id]).expect("in memory").remove(0)
}
