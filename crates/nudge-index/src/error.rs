//! Errors of the search structures.

use crate::source::SourceError;

/// Why a search or a writer failed. The state of the index never makes a search fail.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The store failed.
    #[error("the store could not be read: {0}")]
    Source(#[from] SourceError),
    /// The index directory could not be written.
    #[error("the search index could not be written: {0}")]
    Io(#[from] std::io::Error),
    /// The engine failed while writing.
    #[error("the search index could not be written: {0}")]
    Engine(#[from] tantivy::TantivyError),
}
