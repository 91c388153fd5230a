//! Search structures derived from the change feed, and disposable.
//!
//! The text index ([`Index`]) is a directory next to the database. One process at a time writes it,
//! the one that has its lock ([`IndexWriter`]); any process reads it. It records the feed position
//! it has reached. A search scans the entries changed after that position with the same analyzer,
//! so it sees every committed entry at once. An index that is missing, damaged or of another
//! version counts as empty: everything is then scanned, which is slower but not wrong.
//!
//! This crate knows neither SQL nor entries: changes and rows come through [`Source`].

mod error;
mod source;
mod text;

pub use error::IndexError;
pub use source::{Changes, Document, Source, SourceError};
pub use text::engine::snapshot::State;
pub use text::filters::Filters;
pub use text::index::{Index, IndexStatus};
pub use text::index_writer::{Budget, IndexWriter, Progress};
pub use text::query::{MAX_QUERY_BYTES, Query, QueryError, Reading};
pub use text::scale::Order;
pub use text::scan::Finder;
pub use text::search::{Hit, HitRequest, Hits, Nearest, Page};
