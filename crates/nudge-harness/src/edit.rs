//! Edits settings files in place: bytes that need not change stay as they are.

pub(crate) mod jsonc;

/// Why a file cannot be edited. Never repeats the file's content, which may contain a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is not JSON.
    #[error("not valid JSON at line {line}, column {column}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The text is not TOML.
    #[error("not valid TOML at line {line}, column {column}")]
    NotToml {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A value has the wrong type.
    #[error("`{place}` is not {expected}")]
    WrongKind {
        /// The keys that lead to it, or `the file`.
        place: String,
        /// The type expected there.
        expected: &'static str,
    },
}
