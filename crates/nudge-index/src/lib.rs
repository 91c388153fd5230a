//! Search structures derived from the change feed, and disposable.
//!
//! The text index ([`Index`]) is a directory beside the database. One process at a time writes it, whoever holds its
//! lock ([`Keeper`]); any process reads it. It records the feed position it has reached; a search scans the entries
//! changed after it with the same analyzer, so that it sees every committed entry at once. An index that is missing,
//! damaged or of another version is as good as an empty one: everything is then scanned, which is slower and not wrong.
//!
//! This crate knows neither SQL nor entries: changes and rows come through [`Source`].

mod analyzer;
mod document;
mod engine;
mod filters;
mod index;
mod keeper;
mod query;
mod rank;
mod scale;
mod scan;
mod search;
mod tail;

pub use document::{Changes, Document, Source, SourceError};
pub use engine::snapshot::State;
pub use filters::Filters;
pub use index::{Index, Standing};
pub use keeper::{Budget, Keeper, Progress};
pub use query::{LONGEST_QUERY, Query, QueryError, Reading};
pub use rank::Order;
pub use search::{Hit, Hits, Page};

/// Why a search or a writer failed. A search does not fail for the state of the index.
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
