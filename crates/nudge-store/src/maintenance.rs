//! What is done to a store as a whole: copies, clean-up, long work in short transactions.

pub(crate) mod backup;
pub mod bulk;
pub(crate) mod clock;
pub(crate) mod leftovers;
pub(crate) mod portions;
pub(crate) mod restore;
pub(crate) mod retention;
pub(crate) mod revise;
pub(crate) mod sweep;
