//! A query once it is read: an expression over its terms.

use super::term::Term;

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
    pub(super) fn uses(&self) -> usize {
        match self {
            Self::Term(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::uses).sum(),
            Self::Not(part) => part.uses(),
        }
    }

    /// Whether it says what to find, not only what to leave out.
    pub(super) fn is_bounded(&self) -> bool {
        match self {
            Self::Term(_) => true,
            Self::And(parts) => parts.iter().any(Self::is_bounded),
            Self::Or(parts) => parts.iter().all(Self::is_bounded),
            Self::Not(_) => false,
        }
    }
}
