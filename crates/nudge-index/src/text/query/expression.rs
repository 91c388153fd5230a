//! A parsed query: an expression over its terms.

use super::term::{Pattern, Term};

/// The most words of a sentence that are searched for. A prompt of a page would otherwise cost as
/// much as thirty prompts.
const MOST_WORDS: usize = 32;

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
    /// Operators were used: the expression decides, adjacent terms mean AND.
    Strict,
    /// Quotes or a prefix and no operator: all are required; if no entry has them all, any.
    Phrases,
    /// Up to four distinctive words and nothing else: entries with all of them, then entries with
    /// some.
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
    /// Whether an entry with only some of its words is less than what was asked for.
    pub fn expects_all(&self) -> bool {
        self.reading != Reading::Sentence
    }

    /// Whether it has more words than are searched for.
    pub fn is_narrowed(&self) -> bool {
        self.reading == Reading::Sentence && self.terms.len() > MOST_WORDS
    }

    /// How the words are combined.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Whether any of its words may match if no entry has them all.
    pub(crate) fn may_relax(&self) -> bool {
        matches!(self.reading, Reading::Keywords | Reading::Phrases) && self.terms.len() > 1
    }

    /// Whether entries with some of its words follow those with all.
    pub(crate) fn shows_rest(&self) -> bool {
        self.reading == Reading::Keywords && self.terms.len() > 1
    }

    /// For a sentence with more words than are searched for: the rarest words that any entry has,
    /// and their numbers. `holding` returns how many documents have a word.
    pub(crate) fn narrowed(&self, holding: impl Fn(&str) -> u64) -> Option<(Self, Vec<usize>)> {
        if !self.is_narrowed() {
            return None;
        }
        let held = |term: &Term| match term.patterns.as_slice() {
            [Pattern::Word(word)] => holding(word),
            _ => u64::MAX,
        };
        let mut known: Vec<(u64, usize)> = self.terms.iter().map(held).zip(0..).collect();
        known.retain(|(held, _)| *held > 0);
        known.sort_unstable();
        known.truncate(MOST_WORDS);
        let mut chosen: Vec<usize> = known.into_iter().map(|(_, term)| term).collect();
        chosen.sort_unstable();
        let terms = chosen.iter().map(|&term| self.terms[term].clone()).collect();
        let expression = Expression::Or((0..chosen.len()).map(Expression::Term).collect());
        Some((Self { expression, terms, reading: self.reading }, chosen))
    }

    /// The same words; any one is enough.
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
    pub(crate) fn matches(&self, has: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Term(index) => has(*index),
            Self::And(all) => all.iter().all(|part| part.matches(has)),
            Self::Or(any) => any.iter().any(|part| part.matches(has)),
            Self::Not(part) => !part.matches(has),
        }
    }

    /// The terms that count for a document: those not under a NOT.
    pub(crate) fn wanted(&self, into: &mut Vec<usize>) {
        match self {
            Self::Term(index) => into.push(*index),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.wanted(into)),
            Self::Not(_) => {}
        }
    }

    /// How many terms it has, counting each use.
    pub(super) fn uses(&self) -> usize {
        match self {
            Self::Term(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::uses).sum(),
            Self::Not(part) => part.uses(),
        }
    }

    /// Whether it says what to find, not only what to exclude.
    pub(super) fn is_bounded(&self) -> bool {
        match self {
            Self::Term(_) => true,
            Self::And(parts) => parts.iter().any(Self::is_bounded),
            Self::Or(parts) => parts.iter().all(Self::is_bounded),
            Self::Not(_) => false,
        }
    }
}
