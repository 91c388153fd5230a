//! What a command and an error are known by, so that they are known again: without what changes from
//! run to run. Nothing here knows the store.

pub(crate) mod blame;
pub(crate) mod fold;
pub(crate) mod mark;
pub(crate) mod part;
mod peel;
pub(crate) mod signature;

/// Where an observation keeps the error that an exit status of 0 hid.
pub(crate) const HIDDEN_ERROR: &str = "hidden_error";
