//! What is looked for.
//!
//! A query is an expression over *terms*; a term is something a person typed (`OPS-1234`, `"foo bar"`, `conf*`) and the
//! word patterns that count as finding it. Engine and scan evaluate the same patterns, so they agree on every document.

mod parse;
mod prompt;
mod term;

pub use parse::QueryError;
pub(crate) use term::{Pattern, Step, Term};

/// The longest query that is read, in bytes.
pub const LONGEST_QUERY: usize = 8 * 1024;

/// Up to so many plain words must all be there; a longer list is a sentence. Words like `the` are not counted.
const MOST_KEYWORDS: usize = 4;

/// How many terms an expression may have, each use of one counted: every phrase costs a pass over the entries that
/// have its words. Free text is held to fewer, see [`Query::of_prompt`].
const MOST_TERMS: usize = 64;

/// A query, ready to be run any number of times.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub(crate) expression: Expression,
    pub(crate) terms: Vec<Term>,
    pub(crate) reading: Reading,
}

/// How the terms are combined when no operator says so.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Operators, quotes or a prefix were used: the expression decides, neighbours mean AND.
    Strict,
    /// Up to four telling words and nothing else: all must be there; if no entry has them all, any.
    Keywords,
    /// A sentence: any of its words, the best first.
    Sentence,
}

/// An expression over the terms of a query, by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Term(usize),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
}

impl Query {
    /// Reads the query language: words, `"phrases"`, `prefix*`, `AND`, `OR`, `NOT` and parentheses.
    ///
    /// # Errors
    /// If the expression is malformed; the error says what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }

    /// The same language without any leniency: every word that is not under an OR must be there, be they many or few.
    ///
    /// # Errors
    /// As [`Query::parse`].
    pub fn parse_strictly(text: &str) -> Result<Self, QueryError> {
        parse::strictly(text)
    }

    /// Free text of any kind, such as a person's prompt: any of its telling words, never an error.
    /// `None` if it has no word at all.
    pub fn of_prompt(text: &str) -> Option<Self> {
        prompt::of_prompt(text)
    }

    /// How the words are combined.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Whether its words, if nothing has them all, may be looked for one by one.
    pub(crate) fn may_relax(&self) -> bool {
        self.reading == Reading::Keywords && self.terms.len() > 1
    }

    /// The same words, any of which is enough.
    pub(crate) fn relaxed(&self) -> Self {
        Self {
            expression: Expression::Or((0..self.terms.len()).map(Expression::Term).collect()),
            terms: self.terms.clone(),
            reading: Reading::Sentence,
        }
    }
}

impl Expression {
    /// Whether a document matches, given which terms it has.
    pub(crate) fn holds(&self, has: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Term(index) => has(*index),
            Self::And(all) => all.iter().all(|part| part.holds(has)),
            Self::Or(any) => any.iter().any(|part| part.holds(has)),
            Self::Not(part) => !part.holds(has),
        }
    }

    /// The terms that speak for a document: those not under a NOT.
    pub(crate) fn wanted(&self, into: &mut Vec<usize>) {
        match self {
            Self::Term(index) => into.push(*index),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.wanted(into)),
            Self::Not(_) => {}
        }
    }

    /// How many terms it asks for, one that stands in two places twice.
    fn uses(&self) -> usize {
        match self {
            Self::Term(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::uses).sum(),
            Self::Not(part) => part.uses(),
        }
    }

    /// Whether it says what to find, not only what to leave out.
    fn is_bounded(&self) -> bool {
        match self {
            Self::Term(_) => true,
            Self::And(parts) => parts.iter().any(Self::is_bounded),
            Self::Or(parts) => parts.iter().all(Self::is_bounded),
            Self::Not(_) => false,
        }
    }
}
