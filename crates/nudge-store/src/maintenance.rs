//! Work on a whole store: copies, clean-up, long work in short transactions.

pub(crate) mod batches;
pub mod bulk;
pub(crate) mod clock;
pub(crate) mod orphans;
pub(crate) mod restore;
pub(crate) mod retention;
pub(crate) mod revise;
pub(crate) mod texts;
