//! Files of settings, changed in place: what is not touched keeps its bytes.

pub(crate) mod jsonc;

/// Why a file cannot be changed. Never repeats what the file says: it may hold a secret.
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
    /// A place that must hold one kind of value holds another.
    #[error("`{place}` is not {expected}")]
    WrongKind {
        /// The keys that lead there, or `the file`.
        place: String,
        /// What belongs there.
        expected: &'static str,
    },
}
