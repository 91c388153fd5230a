//! How far a file or table was read.

/// How far something was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) name: String,
    pub(super) position: i64,
    pub(super) detail: String,
}
