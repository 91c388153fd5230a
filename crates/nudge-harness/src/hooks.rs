//! What the hooks of most agents have in common.

pub(crate) mod event;
pub(crate) mod prompt;
