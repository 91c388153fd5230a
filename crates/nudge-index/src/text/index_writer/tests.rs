//! A purge that was interrupted.

use super::*;
use crate::source::{Changes, Document};

/// One entry that existed and is gone, and one that stays.
struct Gone(bool);

impl Source for Gone {
    fn changes_after(&self, position: i64, _: usize) -> Result<Changes, SourceError> {
        let head = if self.0 { 3 } else { 2 };
        let changes = if self.0 && position < 3 { vec![(3, 1)] } else { Vec::new() };
        Ok(Changes { changes, head })
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, SourceError> {
        Ok(self.documents_after(0, 2)?.into_iter().filter(|document| ids.contains(&document.id)).collect())
    }

    fn documents_after(&self, id: i64, _: usize) -> Result<Vec<Document>, SourceError> {
        let rows = [(1, "qzxjkvwplm"), (2, "stays")];
        let there = rows.into_iter().filter(|(row, _)| *row > id && !(self.0 && *row == 1));
        Ok(there.map(|(id, title)| Document { id, title: title.into(), ..Document::default() }).collect())
    }

    fn head(&self) -> Result<i64, SourceError> {
        Ok(if self.0 { 3 } else { 2 })
    }
}

fn words(directory: &Path) -> Vec<String> {
    crate::Index::open(directory).words().expect("an index to be used")
}

#[test]
fn the_next_writer_finishes_a_purge() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let mut index_writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    index_writer.catch_up(&Gone(false), Budget::ALL).expect("builds");
    index_writer.catch_up(&Gone(true), Budget::ALL).expect("follows");
    assert!(
        words(home.path()).iter().any(|word| word == "qzxjkvwplm"),
        "deleted, and still in the dictionary"
    );
    // As far as a purge gets before it rewrites anything.
    index_writer.open_for(&Gone(true)).expect("opens");
    let mut writer = index_writer.writer.take().expect("is open");
    writer.coverage.is_purging = true;
    writer.begin().expect("commits");
    drop((writer, index_writer));
    let mut index_writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    index_writer.catch_up(&Gone(true), Budget::ALL).expect("finishes");
    let left = words(home.path());
    assert!(
        left.iter().any(|word| word == "stays") && !left.iter().any(|word| word.starts_with("qzx")),
        "{left:?}"
    );
    let snapshot = Snapshot::open(home.path()).expect("sound");
    assert!(!snapshot.coverage.is_purging);
}
