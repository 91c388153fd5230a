//! Line by line search: white space around a line and blank lines do not count.
//!
//! The search is the one of Knuth, Morris and Pratt over lines, so it is linear in the body.

use std::collections::VecDeque;
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
    let wanted: Vec<&str> = search.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if wanted.is_empty() {
        return None;
    }
    let fallbacks = fallbacks(&wanted);
    let mut recent: VecDeque<Range<usize>> = VecDeque::with_capacity(wanted.len());
    let mut found: Option<Found> = None;
    let mut matched = 0;
    for span in lines::spans(text) {
        let line = text[span.clone()].trim();
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
fn fallbacks(wanted: &[&str]) -> Vec<usize> {
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
