//! The index itself: everything that knows Tantivy.

pub(crate) mod collect;
mod columns;
pub(crate) mod compile;
pub(crate) mod coverage;
pub(crate) mod directory;
mod held;
pub(crate) mod rescore;
pub(crate) mod schema;
mod settled;
pub(crate) mod snapshot;
pub(crate) mod statistics;
pub(crate) mod term_postings;
mod tokens;

pub(crate) use coverage::Coverage;
pub(crate) use directory::IndexDirectory;
pub(crate) use schema::Fields;
pub(crate) use snapshot::{Snapshot, State};
pub(crate) use statistics::Statistics;
