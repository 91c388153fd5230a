//! The index itself: everything that knows Tantivy.

pub(crate) mod collect;
pub(crate) mod compile;
pub(crate) mod directory;
pub(crate) mod rescore;
pub(crate) mod schema;
mod settled;
pub(crate) mod snapshot;

pub(crate) use directory::IndexDirectory;
pub(crate) use rescore::Statistics;
pub(crate) use schema::Fields;
pub(crate) use snapshot::{Coverage, Snapshot, State};
