//! Numbers of documents, stored in columns: they are read without the documents.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::{DocId, SegmentReader};

use super::schema;

/// The numbers of a segment's documents.
pub(crate) struct Columns {
    pub(super) id: Arc<dyn ColumnValues<i64>>,
    pub(super) at: Arc<dyn ColumnValues<i64>>,
    pub(super) project: Arc<dyn ColumnValues<i64>>,
    pub(super) kind: Arc<dyn ColumnValues<u64>>,
    title: Arc<dyn ColumnValues<u64>>,
}

impl Columns {
    pub(crate) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fast = segment.fast_fields();
        Ok(Self {
            id: fast.column_first_or_default("id")?,
            at: fast.column_first_or_default("at")?,
            project: fast.column_first_or_default("project")?,
            kind: fast.column_first_or_default("kind")?,
            title: fast.column_first_or_default(schema::TITLE)?,
        })
    }

    /// How many positions of a document's text belong to its title.
    pub(super) fn title(&self, document: DocId) -> u32 {
        self.title.get_val(document) as u32
    }
}
