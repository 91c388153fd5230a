//! An in-memory store, in the form that the search index reads.

use std::collections::BTreeMap;

use nudge_index::{Changes, Document, Source, SourceError};

/// Documents by id, and the feed of their changes.
#[derive(Default)]
pub(crate) struct Rows {
    documents: BTreeMap<i64, Document>,
    feed: Vec<(i64, i64)>,
}

impl Rows {
    pub(crate) fn put(&mut self, document: Document) {
        self.changed(document.id);
        self.documents.insert(document.id, document);
    }

    pub(crate) fn remove(&mut self, id: i64) {
        self.changed(id);
        self.documents.remove(&id);
    }

    fn changed(&mut self, id: i64) {
        self.feed.push((self.feed.len() as i64 + 1, id));
    }
}

impl Source for Rows {
    fn changes_after(&self, position: i64, limit: usize) -> Result<Changes, SourceError> {
        let from = self.feed.partition_point(|(at, _)| *at <= position);
        let changes = self.feed[from..].iter().copied().take(limit).collect();
        Ok(Changes { changes, head: self.feed.len() as i64 })
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, SourceError> {
        Ok(ids.iter().filter_map(|id| self.documents.get(id).cloned()).collect())
    }

    fn documents_after(&self, id: i64, limit: usize) -> Result<Vec<Document>, SourceError> {
        Ok(self.documents.range(id.saturating_add(1)..).take(limit).map(|(_, row)| row.clone()).collect())
    }

    fn head(&self) -> Result<i64, SourceError> {
        Ok(self.feed.len() as i64)
    }
}
