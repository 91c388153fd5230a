//! Marks: keys that recognise a command or an error again, without the parts that change from run
//! to run. This module does not use the store.

pub(crate) mod blame;
pub(crate) mod fold;
pub(crate) mod mark;
pub(crate) mod part;
mod peel;
pub(crate) mod signature;

/// The metadata field with the error that an exit status of 0 hid.
pub(crate) const HIDDEN_ERROR: &str = "hidden_error";
