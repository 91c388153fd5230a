//! The index itself: everything that knows Tantivy.

pub(crate) mod collect;
pub(crate) mod compile;
pub(crate) mod directory;
mod plain_seek;
pub(crate) mod rescore;
pub(crate) mod schema;
pub(crate) mod snapshot;

pub(crate) use directory::IndexDirectory;
pub(crate) use rescore::Statistics;
pub(crate) use schema::Fields;
pub(crate) use snapshot::{Coverage, Snapshot, State};
