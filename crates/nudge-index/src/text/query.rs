//! Queries.
//!
//! A query is an expression over *terms*; a term is something that was typed (`OPS-1234`,
//! `"foo bar"`, `conf*`) and the word patterns that count as finding it. Engine and scan evaluate
//! the same patterns, so they agree on every document.

mod expression;
mod parse;
mod prompt;

pub(crate) use expression::{Expression, Pattern, Step, Term};
pub use expression::{Query, QueryError, Reading};
pub use parse::MAX_QUERY_BYTES;

impl Query {
    /// Parses the query language: words, `"phrases"`, `prefix*`, `AND`, `OR`, `NOT` and
    /// parentheses.
    ///
    /// # Errors
    /// If the expression is malformed; the error says what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }

    /// The same language without any leniency: every word that is not under an OR is required,
    /// however many there are.
    ///
    /// # Errors
    /// As [`Query::parse`].
    pub fn parse_strictly(text: &str) -> Result<Self, QueryError> {
        parse::strictly(text)
    }

    /// Free text of any kind, such as a user's prompt: matches any of its distinctive words, never
    /// an error. `None` if it has no word at all.
    pub fn of_prompt(text: &str) -> Option<Self> {
        prompt::of_prompt(text)
    }
}
