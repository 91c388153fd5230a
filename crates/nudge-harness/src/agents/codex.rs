//! Codex.

mod spec;
pub(crate) mod transcript;

pub(crate) use spec::SPEC;
