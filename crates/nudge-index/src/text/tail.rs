//! What the index does not have yet: entries changed after its position, and those it was not built
//! up to.

use std::collections::HashSet;

use crate::source::{Document, Source, SourceError};
use crate::text::engine::Coverage;

/// How many changes or documents are fetched at a time.
const BATCH: usize = 1000;

/// What must be scanned in addition to an index.
pub(crate) struct Tail {
    /// Entries that changed.
    pub(crate) changed: HashSet<i64>,
    /// All entries with higher ids; `None` if the index is complete.
    pub(crate) after: Option<i64>,
}

impl Tail {
    /// The tail without any index: everything.
    pub(crate) fn everything() -> Self {
        Self { changed: HashSet::new(), after: Some(i64::MIN) }
    }

    /// The tail of an index that covers `coverage`; `None` if the feed no longer reaches back to
    /// it.
    pub(crate) fn after(coverage: &Coverage, source: &dyn Source) -> Result<Option<Self>, SourceError> {
        let mut changed = HashSet::new();
        let mut position = coverage.position;
        loop {
            let found = match source.changes_after(position, BATCH) {
                Ok(found) => found,
                Err(SourceError::Gone) => return Ok(None),
                Err(error) => return Err(error),
            };
            if found.head < coverage.position {
                return Ok(None);
            }
            changed.extend(found.changes.iter().map(|(_, id)| *id));
            match found.changes.last() {
                Some(&(last, _)) if found.changes.len() >= BATCH && last > position => position = last,
                _ => return Ok(Some(Self { changed, after: coverage.built_to })),
            }
        }
    }

    /// Calls `look` with the current state of every document of the tail, each once, and of those
    /// that are never indexed. Returns how many the tail has.
    pub(crate) fn each(
        &self,
        source: &dyn Source,
        mut look: impl FnMut(&Document),
    ) -> Result<usize, SourceError> {
        let mut count = 0;
        let built = |id: &i64| self.after.is_none_or(|after| *id <= after);
        let mut changed: Vec<i64> = self.changed.iter().copied().filter(built).collect();
        changed.sort_unstable();
        for ids in changed.chunks(BATCH) {
            let documents = source.documents(ids)?;
            count += documents.len();
            documents.iter().for_each(&mut look);
        }
        let mut after = self.after;
        while let Some(id) = after {
            let documents = source.documents_after(id, BATCH)?;
            count += documents.len();
            documents.iter().for_each(&mut look);
            after = documents.last().map(|document| document.id).filter(|&last| last > id);
        }
        source.beside().iter().for_each(look);
        Ok(count)
    }
}
