//! Where a text is in a body: exactly, without escapes, or with other white space around or between
//! its words.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::outcome::MatchQuality;

/// Where a text was found.
#[derive(Debug)]
pub(super) struct TextMatch {
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
pub(super) fn locate(text: &str, search: &str) -> Option<TextMatch> {
    let unescaped = unescape(search);
    exact(text, search)
        .or_else(|| {
            let place = exact(text, unescaped.as_deref()?)?;
            Some(TextMatch { is_unescaped: true, quality: MatchQuality::Whitespace, ..place })
        })
        .or_else(|| by_lines(text, search))
        .or_else(|| within_line(text, search))
}

/// Byte by byte, as it is or with the other line end.
fn exact(text: &str, search: &str) -> Option<TextMatch> {
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
fn occurrences(text: &str, search: &str) -> Option<TextMatch> {
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
    Some(TextMatch { range: start..start + search.len(), quality, count, is_unescaped: false, indents: None })
}

/// Whether a match begins its line; indentation before it does not count when the search has none.
fn begins_line(text: &str, at: usize, search: &str) -> bool {
    let before = &text[..at];
    let before = if search.starts_with([' ', '\t']) { before } else { before.trim_end_matches([' ', '\t']) };
    before.is_empty() || before.ends_with('\n')
}

/// Line by line, without the white space around each.
fn by_lines(text: &str, search: &str) -> Option<TextMatch> {
    let found = find(text, search)?;
    let indents = Indents::between(search, text, &found.lines);
    let quality = if indents.is_some() { MatchQuality::Reindented } else { MatchQuality::Whitespace };
    let (first, last) = (found.lines.first()?, found.lines.last()?);
    Some(TextMatch {
        range: first.start..last.end,
        quality,
        count: found.count,
        is_unescaped: false,
        indents,
    })
}

/// A part of one line, at least two whole words with other white space between them. There must be
/// only one such place, because words are less sure than a text byte for byte.
fn within_line(text: &str, search: &str) -> Option<TextMatch> {
    let wanted = spaced(search);
    if search.trim().contains('\n') || !wanted.contains(' ') || !has_words(text, search) {
        return None;
    }
    let mut found = None;
    for span in spans(text) {
        let line = &text[span.clone()];
        for (at, _) in spaced(line).match_indices(&wanted) {
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
    Some(TextMatch { range, quality, count: 1, is_unescaped: false, indents })
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

// Indentation: how the lines of a search are indented in a body, and a replacement like them.

/// Pairs of an indentation in the search and the one that the same line has in the body.
#[derive(Debug)]
pub(super) struct Indents {
    pairs: Vec<(String, String)>,
}

/// The white space that begins a line.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

impl Indents {
    /// Compares the search with the lines it was found at; `None` when all are indented alike.
    pub(super) fn between(search: &str, text: &str, found: &[Range<usize>]) -> Option<Self> {
        let wanted = search.lines().filter(|line| !line.trim().is_empty());
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (line, span) in wanted.zip(found) {
            let pair = (indent(line).to_owned(), indent(&text[span.clone()]).to_owned());
            if !pairs.iter().any(|known| known.0 == pair.0) {
                pairs.push(pair);
            }
        }
        pairs.iter().any(|(from, to)| from != to).then_some(Self { pairs })
    }

    /// The replacement with the indentation of the body.
    pub(super) fn heal(&self, replace: &str) -> String {
        let unit = self.unit(replace);
        let lines = replace.split_inclusive('\n').map(|line| {
            if line.trim().is_empty() {
                return line.to_owned();
            }
            let from = indent(line);
            format!("{}{}", self.map(from, unit), &line[from.len()..])
        });
        lines.collect()
    }

    /// How many spaces one level has in the search and the replacement.
    fn unit(&self, replace: &str) -> usize {
        let mut widths: Vec<usize> = self.pairs.iter().map(|(from, _)| from.len()).collect();
        widths.extend(replace.lines().filter(|line| !line.trim().is_empty()).map(|line| indent(line).len()));
        widths.sort_unstable();
        let steps = widths.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1);
        steps.min().unwrap_or(4)
    }

    fn map(&self, from: &str, unit: usize) -> String {
        if let Some((_, to)) = self.pairs.iter().find(|pair| pair.0 == from) {
            return to.clone();
        }
        let inside = self.pairs.iter().filter(|pair| from.starts_with(&pair.0));
        if let Some((known, to)) = inside.max_by_key(|pair| pair.0.len()) {
            return format!("{to}{}", self.convert(&from[known.len()..], unit));
        }
        let outside = self.pairs.iter().filter(|pair| pair.0.starts_with(from));
        match outside.min_by_key(|pair| pair.0.len()) {
            Some((known, to)) => {
                let less = self.convert(&known[from.len()..], unit);
                to[..to.len().saturating_sub(less.len())].to_owned()
            }
            None => from.to_owned(),
        }
    }

    /// Indentation in the characters that the body uses.
    fn convert(&self, rest: &str, unit: usize) -> String {
        let has = |c: char| self.pairs.iter().any(|(_, to)| to.contains(c));
        if has('\t') && !has(' ') && rest.contains(' ') {
            let tabs = rest.matches('\t').count() + rest.matches(' ').count().div_ceil(unit);
            "\t".repeat(tabs)
        } else if has(' ') && !has('\t') && rest.contains('\t') {
            rest.replace('\t', &" ".repeat(4))
        } else {
            rest.to_owned()
        }
    }
}

// Line by line search: white space around a line and blank lines do not count, and white space
// between words only counts if it helps.
//
// The search is the one of Knuth, Morris and Pratt over lines, so it is linear in the body.

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
const MAX_WORDS: usize = 16;

/// Whether the words of a search are somewhere in the text: quick, where there are many lines.
fn has_words(text: &str, search: &str) -> bool {
    let words: BTreeSet<&str> = search.split_whitespace().collect();
    words.into_iter().take(MAX_WORDS).all(|word| text.contains(word))
}

/// A line with one space for each white space between words, and none around them.
fn spaced(line: &str) -> String {
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
    for span in spans(text) {
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

// Line ends: which a text uses, and how a piece takes them over.

/// The line end that most lines of a text have; `\n` when there are none.
pub(super) fn ending(text: &str) -> &'static str {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

/// The piece with the line end of the body it goes into.
///
/// Only bare `\n` becomes `\r\n`; a piece that has `\r\n` itself stays as it is.
pub(super) fn adopt<'a>(piece: &'a str, ending: &str) -> Cow<'a, str> {
    if ending == "\r\n" && piece.contains('\n') && !piece.contains("\r\n") {
        Cow::Owned(piece.replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(piece)
    }
}

/// The ranges of the lines without their ends.
pub(super) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = from;
        from += line.len();
        let bare = line.strip_suffix('\n').unwrap_or(line);
        start..start + bare.strip_suffix('\r').unwrap_or(bare).len()
    })
}

/// The number of the line that holds a position, from 1.
pub(super) fn number(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

/// The length of the line end that begins at `at`; 0 when there is none.
pub(super) fn end_at(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) }
}

/// The text before one line end at its end.
pub(super) fn without_end(text: &str) -> &str {
    let bare = text.strip_suffix('\n').unwrap_or(text);
    if bare.len() < text.len() { bare.strip_suffix('\r').unwrap_or(bare) } else { text }
}
