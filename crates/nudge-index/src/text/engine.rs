//! The text index proper: everything that knows Tantivy.

pub(crate) mod collect;
pub(crate) mod compile;
pub(crate) mod coverage;
mod held;
pub(crate) mod schema;
pub(crate) mod second;
mod settled;
pub(crate) mod shelf;
pub(crate) mod snapshot;
pub(crate) mod statistics;
mod tokens;
pub(crate) mod wordings;

pub(crate) use coverage::Coverage;
pub(crate) use schema::Fields;
pub(crate) use shelf::Shelf;
pub(crate) use snapshot::{Snapshot, State};
pub(crate) use statistics::Statistics;
