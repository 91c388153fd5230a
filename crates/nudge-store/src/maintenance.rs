//! Work on a whole store: copies, clean-up, long work in short transactions.

pub(crate) mod backup;
pub(crate) mod batches;
pub mod bulk;
pub(crate) mod clock;
pub(crate) mod compact;
pub(crate) mod orphans;
pub(crate) mod restore;
pub(crate) mod retention;
pub(crate) mod revise;
pub(crate) mod sweep;
pub(crate) mod texts;
