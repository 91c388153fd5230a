//! Cline CLI.

mod spec;

pub(crate) use spec::SPEC;
