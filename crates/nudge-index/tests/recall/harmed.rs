//! Files that are damaged while the index is open, or are not regular files.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use nudge_index::{Budget, Filters, Index, IndexWriter, Query, State};

use super::disposable::{answers_are_right, answers_of, built, files, filled, recovers};
use super::memory::{note, scanned};

fn cut(file: &Path) {
    File::options().write(true).open(file).expect("there").set_len(0).expect("writable");
}

/// @recall_index_disposable If a file of an open index is cut to nothing, the very next search
/// notices.
#[test]
fn cut_while_open() {
    let memory = filled(200);
    for number in 0..files(built(&memory).path()).len() {
        let home = built(&memory);
        let index = Index::open(home.path());
        answers_of(&index, &memory);
        let pinned = index.pinned();
        cut(&files(home.path())[number]);
        answers_of(&index, &memory);
        answers_of(&pinned, &memory);
    }
}

/// @recall_index_disposable A writer that has the index open notices it too, and rebuilds the
/// index.
#[test]
fn cut_while_written() {
    let memory = filled(200);
    let home = tempfile::tempdir().expect("a temporary directory");
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    memory.put(note(201, "one more in the cache"));
    writer.catch_up(&memory, Budget::ALL).expect("follows");
    let is_part = |name: &str| [".idx", ".pos", ".term", ".fast"].iter().any(|end| name.ends_with(end));
    for file in files(home.path()).iter().filter(|file| is_part(&file.to_string_lossy())) {
        cut(file);
    }
    memory.put(note(202, "and one more"));
    assert!(writer.catch_up(&memory, Budget::ALL).expect("begins anew").was_restarted);
    for id in 203..=210 {
        memory.put(note(id, "enough for segments to be made one"));
        assert!(!writer.catch_up(&memory, Budget::ALL).expect("follows").was_restarted);
    }
    assert_eq!(Index::open(home.path()).status().state, State::Ready);
    answers_are_right(home.path(), &memory);
}

/// @recall_index_disposable A pipe in place of any file blocks neither a search nor a writer.
#[cfg(unix)]
#[test]
fn pipes() {
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || {
        let memory = filled(20);
        for number in 0..files(built(&memory).path()).len() {
            let home = built(&memory);
            let file = &files(home.path())[number];
            fs::remove_file(file).expect("removable");
            assert!(Command::new("mkfifo").arg(file).status().expect("starts").success());
            answers_are_right(home.path(), &memory);
            let state = Index::open(home.path()).status().state;
            recovers(home.path(), &memory, state);
        }
        done.send(()).expect("waited for");
    });
    finished.recv_timeout(Duration::from_secs(100)).expect("nothing waits for the other end of a pipe");
}

/// The variable that makes a child of this test binary act.
const CHILD: &str = "NUDGE_INDEX_TEST_CUT";

/// @recall_index_disposable A file that is cut after it was found intact, and before it is read,
/// kills no process: it continues, and its answers are right.
#[cfg(unix)]
#[test]
fn cut_between_look_and_read() {
    if std::env::var_os(CHILD).is_some() {
        return cut_and_search();
    }
    let own = std::env::current_exe().expect("this binary");
    let name = "recall::harmed::cut_between_look_and_read";
    let outcome = Command::new(own).args([name, "--exact"]).env(CHILD, "1").output().expect("starts");
    assert!(outcome.status.success(), "{outcome:?}");
}

/// Cuts each file in turn right after the index was pinned, which is when it was found intact: for
/// two milliseconds it is not checked again.
#[cfg(unix)]
fn cut_and_search() {
    let memory = filled(400);
    let query = Query::parse("\"the cache\" OR entry7 OR sto*").expect("well-formed");
    let expected = scanned(&memory, &query, &Filters::default());
    let original = built(&memory);
    for file in files(original.path()) {
        for length in [0, 100] {
            let home = tempfile::tempdir().expect("a temporary directory");
            for file in files(original.path()) {
                let name = file.file_name().expect("a name");
                fs::copy(&file, home.path().join(name)).expect("copied");
            }
            let file = home.path().join(file.file_name().expect("a name"));
            let cut = File::options().write(true).open(&file).expect("there");
            let length = cut.metadata().expect("there").len().min(length);
            let index = Index::open(home.path()).pinned();
            cut.set_len(length).expect("writable");
            let found = index.matching(&memory, &query, &Filters::default()).expect("searches");
            assert_eq!(found, expected, "{}", file.display());
        }
    }
}
