//! Where a text is in a body: exactly, without escapes, or with other white space around or between
//! its words.

use std::borrow::Cow;
use std::ops::Range;

use super::indent::Indents;
use super::quality::MatchQuality;
use super::{fuzzy, lines};

/// Where a text was found.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) range: Range<usize>,
    pub(super) quality: MatchQuality,
    /// How many places there were.
    pub(super) count: usize,
    /// Whether only the text without backslashes was found.
    pub(super) is_unescaped: bool,
    /// How the lines of the search are indented in the body, when that differs.
    pub(super) indents: Option<Indents>,
}

/// Finds `search` in `text`: the surest way that finds it wins.
pub(super) fn locate(text: &str, search: &str) -> Option<Place> {
    let unescaped = unescape(search);
    exact(text, search)
        .or_else(|| {
            let place = exact(text, unescaped.as_deref()?)?;
            Some(Place { is_unescaped: true, quality: MatchQuality::Whitespace, ..place })
        })
        .or_else(|| by_lines(text, search))
        .or_else(|| within_line(text, search))
}

/// Byte by byte, as it is or with the other line end.
fn exact(text: &str, search: &str) -> Option<Place> {
    endings(search).find_map(|search| occurrences(text, &search))
}

fn endings(search: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let has_lines = search.contains('\n');
    let is_windows = search.contains("\r\n");
    let other = has_lines.then(|| {
        Cow::Owned(if is_windows { search.replace("\r\n", "\n") } else { search.replace('\n', "\r\n") })
    });
    std::iter::once(Cow::Borrowed(search)).chain(other)
}

/// The one occurrence; of several the last that begins a line, else the last.
fn occurrences(text: &str, search: &str) -> Option<Place> {
    if search.is_empty() {
        return None;
    }
    let (mut count, mut last, mut at_line) = (0, None, None);
    for (at, _) in text.match_indices(search) {
        count += 1;
        last = Some(at);
        if begins_line(text, at, search) {
            at_line = Some(at);
        }
    }
    let start = at_line.or(last)?;
    let quality = if count == 1 { MatchQuality::Exact } else { MatchQuality::LineStart };
    Some(Place { range: start..start + search.len(), quality, count, is_unescaped: false, indents: None })
}

/// Whether a match begins its line; indentation before it does not count when the search has none.
fn begins_line(text: &str, at: usize, search: &str) -> bool {
    let before = &text[..at];
    let before = if search.starts_with([' ', '\t']) { before } else { before.trim_end_matches([' ', '\t']) };
    before.is_empty() || before.ends_with('\n')
}

/// Line by line, without the white space around each.
fn by_lines(text: &str, search: &str) -> Option<Place> {
    let found = fuzzy::find(text, search)?;
    let indents = Indents::between(search, text, &found.lines);
    let quality = if indents.is_some() { MatchQuality::Reindented } else { MatchQuality::Whitespace };
    let (first, last) = (found.lines.first()?, found.lines.last()?);
    Some(Place { range: first.start..last.end, quality, count: found.count, is_unescaped: false, indents })
}

/// A part of one line, at least two whole words with other white space between them. There must be
/// only one such place, because words are less sure than a text byte for byte.
fn within_line(text: &str, search: &str) -> Option<Place> {
    let wanted = fuzzy::spaced(search);
    if search.trim().contains('\n') || !wanted.contains(' ') || !fuzzy::has_words(text, search) {
        return None;
    }
    let mut found = None;
    for span in lines::spans(text) {
        let line = &text[span.clone()];
        for (at, _) in fuzzy::spaced(line).match_indices(&wanted) {
            let words = unspaced(line, at, &wanted);
            let Some(range) = with_edges(line, &words, search) else { continue };
            if found.is_some() {
                return None;
            }
            // White space at the ends of the search alone does not make another place of it.
            let is_other = line[words] != *search.trim();
            found = Some((span.clone(), range, is_other));
        }
    }
    let (span, range, _) = found.filter(|(_, _, is_other)| *is_other)?;
    let indents =
        if range.start == 0 { Indents::between(search, text, std::slice::from_ref(&span)) } else { None };
    let quality = if indents.is_some() { MatchQuality::Reindented } else { MatchQuality::Whitespace };
    let range = span.start + range.start..span.start + range.end;
    Some(Place { range, quality, count: 1, is_unescaped: false, indents })
}

/// The range of some words in a line together with the white space that the search has around them;
/// `None` when the line does not have it there, or when the range begins or ends inside a word.
fn with_edges(line: &str, words: &Range<usize>, search: &str) -> Option<Range<usize>> {
    let (before, after) = (&line[..words.start], &line[words.end..]);
    let gap_before = before.len() - before.trim_end().len();
    let gap_after = after.len() - after.trim_start().len();
    let lead = &search[..search.len() - search.trim_start().len()];
    let trail = &search[search.trim_end().len()..];
    let start = match lead {
        "" => !joins(before.chars().next_back(), line[words.clone()].chars().next()),
        _ if before.len() == gap_before => true,
        _ => gap_before > 0 && !lead.contains('\n'),
    };
    let end = match trail {
        "" => !joins(line[words.clone()].chars().next_back(), after.chars().next()),
        _ if after.len() == gap_after => true,
        _ => gap_after > 0 && !trail.contains('\n'),
    };
    let gap = |edge: &str, gap| if edge.is_empty() { 0 } else { gap };
    (start && end).then(|| words.start - gap(lead, gap_before)..words.end + gap(trail, gap_after))
}

/// Whether two characters next to each other are in one word.
fn joins(one: Option<char>, next: Option<char>) -> bool {
    let is_in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    is_in_word(one) && is_in_word(next)
}

/// The range in a line of words that were found at a position of the spaced line.
fn unspaced(line: &str, at: usize, words: &str) -> Range<usize> {
    let last = words.chars().next_back().map_or(0, char::len_utf8);
    before_spacing(line, at)..before_spacing(line, at + words.len() - last) + last
}

/// Where the character at a position of the spaced line is in the line itself.
fn before_spacing(line: &str, at: usize) -> usize {
    let (mut position, mut is_gap) = (0, false);
    for (index, c) in line.char_indices() {
        if c.is_whitespace() {
            is_gap = position > 0;
            continue;
        }
        position += usize::from(is_gap);
        if position >= at {
            return index;
        }
        is_gap = false;
        position += c.len_utf8();
    }
    line.len()
}

/// The search without the backslashes that a regular expression needs; `None` when it has none.
fn unescape(search: &str) -> Option<String> {
    let mut plain = String::with_capacity(search.len());
    let mut chars = search.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\' && chars.peek().is_some_and(|next| ".*+?^$(){}[]|/\\-\"'`".contains(*next));
        if is_escape {
            plain.extend(chars.next());
        } else {
            plain.push(c);
        }
    }
    (plain.len() < search.len()).then_some(plain)
}
