//! Why a payload cannot be read.

/// What is wrong with a payload. Never repeats the payload's content, which may contain a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text is not JSON.
    #[error("malformed JSON at line {line}, column {column}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The text is JSON, but not an object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// A field that every payload of this agent has is absent, empty or not a string.
    #[error("missing required field: {0}")]
    Missing(&'static str),
}

impl ParseError {
    pub(crate) fn malformed(error: serde_json::Error) -> Self {
        Self::Malformed { line: error.line(), column: error.column() }
    }
}
