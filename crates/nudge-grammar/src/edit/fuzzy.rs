//! Line by line search: white space around a line and blank lines do not count, and white space
//! between words only counts if it helps.
//!
//! The search is the one of Knuth, Morris and Pratt over lines, so it is linear in the body.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::lines;

/// Where the lines of a search are.
pub(super) struct Found {
    /// The ranges of the lines that are not blank, without line ends. The last place wins.
    pub(super) lines: Vec<Range<usize>>,
    /// How many places there are that do not overlap.
    pub(super) count: usize,
}

/// Finds the lines of `search`; `None` when it has only blank lines or is not there.
pub(super) fn find(text: &str, search: &str) -> Option<Found> {
    let found = find_by(text, search, |line| line.trim().into());
    if found.is_some() || !has_words(text, search) {
        return found;
    }
    find_by(text, search, |line| spaced(line).into())
}

/// How many words are looked for before the lines are.
const WORDS: usize = 16;

/// Whether the words of a search are somewhere in the text: quick, where there are many lines.
pub(super) fn has_words(text: &str, search: &str) -> bool {
    let words: BTreeSet<&str> = search.split_whitespace().collect();
    words.into_iter().take(WORDS).all(|word| text.contains(word))
}

/// A line with one space for each white space between words, and none around them.
pub(super) fn spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Finds the lines of `search` by what `key` makes of each line.
fn find_by(text: &str, search: &str, key: fn(&str) -> Cow<'_, str>) -> Option<Found> {
    let wanted: Vec<Cow<'_, str>> = search.lines().map(key).filter(|line| !line.is_empty()).collect();
    if wanted.is_empty() {
        return None;
    }
    let fallbacks = fallbacks(&wanted);
    let mut recent: VecDeque<Range<usize>> = VecDeque::with_capacity(wanted.len());
    let mut found: Option<Found> = None;
    let mut matched = 0;
    for span in lines::spans(text) {
        let line = key(&text[span.clone()]);
        if line.is_empty() {
            continue;
        }
        if recent.len() == wanted.len() {
            recent.pop_front();
        }
        recent.push_back(span);
        while matched > 0 && wanted[matched] != line {
            matched = fallbacks[matched - 1];
        }
        matched += usize::from(wanted[matched] == line);
        if matched == wanted.len() {
            matched = 0;
            let count = found.map_or(0, |found| found.count) + 1;
            found = Some(Found { lines: recent.iter().cloned().collect(), count });
        }
    }
    found
}

/// For each number of matched lines, how many stay matched when the next one differs.
fn fallbacks(wanted: &[Cow<'_, str>]) -> Vec<usize> {
    let mut table = vec![0; wanted.len()];
    let mut matched = 0;
    for at in 1..wanted.len() {
        while matched > 0 && wanted[matched] != wanted[at] {
            matched = table[matched - 1];
        }
        matched += usize::from(wanted[matched] == wanted[at]);
        table[at] = matched;
    }
    table
}
