//! The closest match for a word that no entry has.

use std::collections::BTreeSet;

use super::both::{IndexAndTail, Stop};
use crate::error::IndexError;
use crate::source::Source;
use crate::text::analyzer::Words;
use crate::text::engine::Snapshot;
use crate::text::filters::Filters;
use crate::text::index::Index;
use crate::text::query::{Expression, Pattern, Query, Reading, Term};

/// Shorter words are close to too many others.
const MIN_WORD_CHARS: usize = 4;

/// Words of this many letters may differ by two.
const MIN_LONG_WORD: usize = 8;

/// How many close words are tried, the closest first.
const MAX_TRIED: usize = 8;

/// How many words of a query are checked.
const MAX_WORDS: usize = 4;

/// A word that no entry has, and the closest that one has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The word as typed.
    pub typed: String,
    /// The word that was probably meant.
    pub meant: String,
}

impl Index {
    /// For each word of `query` that no entry passing `filters` has: the closest word that one has.
    /// None for a sentence: its words are many, and any of them may match.
    ///
    /// # Errors
    /// If the store fails.
    pub fn nearest(
        &self,
        source: &dyn Source,
        query: &Query,
        filters: &Filters,
    ) -> Result<Vec<Nearest>, IndexError> {
        if query.reading() == Reading::Sentence {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for term in query.terms.iter().filter(|term| is_plain(term)).take(MAX_WORDS) {
            let typed = term.label.to_lowercase();
            if self.count(source, &one(&typed), filters, 1)? > 0 {
                continue;
            }
            let near = self.with_engine(source, |both| near(both, &typed))?;
            for (_, word) in near.into_iter().take(MAX_TRIED) {
                if self.count(source, &one(&word), filters, 1)? > 0 {
                    found.push(Nearest { typed: term.label.clone(), meant: word });
                    break;
                }
            }
        }
        Ok(found)
    }
}

/// Whether a term is a single word of letters.
fn is_plain(term: &Term) -> bool {
    matches!(term.patterns.as_slice(), [Pattern::Word(_)])
        && term.label.chars().count() >= MIN_WORD_CHARS
        && term.label.chars().all(char::is_alphabetic)
}

/// A query for one word.
fn one(word: &str) -> Query {
    let terms: Vec<Term> = Term::typed(word, false).into_iter().collect();
    let expression = Expression::And((0..terms.len()).map(Expression::Term).collect());
    Query { expression, terms, reading: Reading::Strict }
}

/// Words that begin like `typed` and are close to it, the closest first.
fn near(both: &IndexAndTail<'_>, typed: &str) -> Result<BTreeSet<(usize, String)>, Stop> {
    let most = if typed.chars().count() < MIN_LONG_WORD { 1 } else { 2 };
    let mut found = BTreeSet::new();
    let mut offer = |word: &str| {
        if let Some(distance) = distance(typed, word, most) {
            found.insert((distance, word.to_owned()));
        }
    };
    if let Some(snapshot) = both.engine {
        each_beginning(snapshot, typed, &mut offer)?;
    }
    let mut words = Words::with_memory();
    both.tail.each(both.source, |document| {
        for text in document.texts() {
            words.analyze(text);
            words.iter().for_each(|word| offer(word.text));
        }
    })?;
    Ok(found)
}

/// The words of the index with the same first letter, which is seldom mistyped.
fn each_beginning(snapshot: &Snapshot, typed: &str, offer: &mut impl FnMut(&str)) -> Result<(), Stop> {
    let first: String = typed.chars().take(1).collect();
    for segment in snapshot.searcher.segment_readers() {
        let words = segment.inverted_index(snapshot.fields.text)?;
        let mut stream = words.terms().range().ge(first.as_bytes()).into_stream()?;
        while stream.advance() && stream.key().starts_with(first.as_bytes()) {
            if let Ok(word) = std::str::from_utf8(stream.key()) {
                offer(word);
            }
        }
    }
    Ok(())
}

/// How many letters must be added, removed, changed or swapped with the next to turn one word into
/// the other; `None` beyond `most`, and for the same word.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most * 4 || one == other {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if a.len().abs_diff(b.len()) > most || a.first() != b.first() {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_by_letters() {
        assert_eq!(distance("deadlnie", "deadline", 2), Some(1));
        assert_eq!(distance("rotuer", "router", 1), Some(1));
        assert_eq!(distance("router", "route", 1), Some(1));
        assert_eq!(distance("router", "routing", 1), None);
        assert_eq!(distance("router", "outer", 1), None);
        assert_eq!(distance("router", "router", 1), None);
    }
}
