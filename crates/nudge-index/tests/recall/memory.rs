//! An in-memory store: documents by id, and the feed of their changes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use nudge_index::{Changes, Document, Filters, Index, Query, Source, SourceError};

#[derive(Default)]
pub struct Memory {
    rows: RefCell<BTreeMap<i64, Document>>,
    feed: RefCell<Vec<(i64, i64)>>,
    trimmed_to: RefCell<i64>,
    pub lineage: u64,
}

impl Memory {
    pub fn of(texts: &[&str]) -> Self {
        let memory = Self::default();
        for (number, text) in texts.iter().enumerate() {
            memory.put(note(number as i64 + 1, text));
        }
        memory
    }

    pub fn put(&self, document: Document) {
        let id = document.id;
        self.rows.borrow_mut().insert(id, document);
        self.changed(id);
    }

    pub fn delete(&self, id: i64) {
        if self.rows.borrow_mut().remove(&id).is_some() {
            self.changed(id);
        }
    }

    /// Drops all changes so far.
    pub fn trim(&self) {
        *self.trimmed_to.borrow_mut() = self.position();
        self.feed.borrow_mut().clear();
    }

    fn position(&self) -> i64 {
        self.feed.borrow().last().map_or(*self.trimmed_to.borrow(), |(position, _)| *position)
    }

    fn changed(&self, id: i64) {
        let next = self.position() + 1;
        self.feed.borrow_mut().push((next, id));
    }
}

impl Source for Memory {
    fn changes_after(&self, position: i64, limit: usize) -> Result<Changes, SourceError> {
        if position < *self.trimmed_to.borrow() {
            return Err(SourceError::Gone);
        }
        let feed = self.feed.borrow();
        let from = feed.partition_point(|(at, _)| *at <= position);
        let changes = feed[from..].iter().copied().take(limit).collect();
        Ok(Changes { changes, head: self.position() })
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, SourceError> {
        let rows = self.rows.borrow();
        Ok(ids.iter().filter_map(|id| rows.get(id).cloned()).collect())
    }

    fn documents_after(&self, id: i64, limit: usize) -> Result<Vec<Document>, SourceError> {
        use std::ops::Bound::{Excluded, Unbounded};
        let rows = self.rows.borrow();
        Ok(rows.range((Excluded(id), Unbounded)).take(limit).map(|(_, row)| row.clone()).collect())
    }

    fn head(&self) -> Result<i64, SourceError> {
        Ok(self.position())
    }

    fn lineage(&self) -> u64 {
        self.lineage
    }
}

/// A document with the first line of `text` as its title.
pub fn note(id: i64, text: &str) -> Document {
    let (title, body) = text.split_once('\n').unwrap_or((text, ""));
    Document { id, at: id * 1000, title: title.into(), body: body.into(), ..Document::default() }
}

/// What a scan without any index finds.
#[allow(dead_code, reason = "the examples have their own measure")]
pub fn scanned(memory: &Memory, query: &Query, filters: &Filters) -> Vec<i64> {
    let nowhere = Index::open(Path::new("/nonexistent/index"));
    nowhere.matching(memory, query, filters).expect("a store in memory does not fail")
}
