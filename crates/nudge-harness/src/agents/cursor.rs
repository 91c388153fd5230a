//! Cursor.

mod spec;

pub(crate) use spec::SPEC;
