//! Why a query cannot be parsed.

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at character {}", at + 1)]
pub struct QueryError {
    /// What is wrong, in a few words.
    pub message: String,
    /// The position, in characters from the beginning of the query.
    pub at: usize,
}

impl QueryError {
    pub(super) fn new(message: impl Into<String>, at: usize) -> Self {
        Self { message: message.into(), at }
    }
}
