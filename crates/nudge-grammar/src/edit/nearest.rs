//! The place of a body that is most like a text that was not found.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use similar::TextDiff;

use super::error::Nearest;

/// How much of a body is looked at, in bytes.
const MAX_TEXT: usize = 2 << 20;

/// How many lines are compared.
const MAX_LINES: usize = 60;

/// How many characters of the place are shown.
const MAX_SHOWN: usize = 600;

/// Below this a place is no help.
const MIN_SIMILARITY: f32 = 0.3;

/// The lines that share most words with the search.
pub(super) fn nearest(text: &str, search: &str) -> Option<Nearest> {
    let text = cut(text, MAX_TEXT);
    let wanted: Vec<&str> = search.trim().lines().take(MAX_LINES).collect();
    let words: HashSet<&str> = wanted.iter().flat_map(|line| words(line)).collect();
    let start = best_window(text, &words, wanted.len())?;
    let lines: Vec<&str> = text.lines().skip(start).take(wanted.len()).collect();
    let place = lines.join("\n");
    let similarity = similarity(&place, &wanted.join("\n"));
    let shown = place.chars().take(MAX_SHOWN).collect();
    (similarity >= MIN_SIMILARITY).then_some(Nearest { line: start + 1, similarity, text: shown })
}

/// The first line of the window of `height` lines with the best score.
///
/// A line scores the share of its words that the search has, so that long lines do not win by size.
fn best_window(text: &str, wanted: &HashSet<&str>, height: usize) -> Option<usize> {
    let mut window: VecDeque<usize> = VecDeque::with_capacity(height);
    let (mut score, mut best) = (0, None::<(usize, usize)>);
    for (at, line) in text.lines().enumerate() {
        let line = points(line, wanted);
        window.push_back(line);
        score += line;
        if window.len() > height {
            score -= window.pop_front().unwrap_or(0);
        }
        if score > best.map_or(0, |(_, score)| score) {
            best = Some(((at + 1).saturating_sub(height), score));
        }
    }
    best.map(|(start, _)| start)
}

fn points(line: &str, wanted: &HashSet<&str>) -> usize {
    let (mut all, mut shared) = (0, 0);
    for word in words(line) {
        all += 1;
        shared += usize::from(wanted.contains(word));
    }
    (1000 * shared).checked_div(all).map_or(0, |share: usize| share + shared.min(8))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn similarity(one: &str, other: &str) -> f32 {
    let (one, other) = (cut(one, 4096), cut(other, 4096));
    TextDiff::configure().timeout(Duration::from_millis(100)).diff_chars(one, other).ratio()
}

/// At most `limit` bytes from the start.
fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
