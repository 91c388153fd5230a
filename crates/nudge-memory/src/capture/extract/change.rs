//! What is kept of a change to files: its size, a hash of the content, and the first changed lines.

mod screened;
mod whole;

use nudge_core::text::cut_to_chars;
use nudge_harness::tool::{FileChange, Line, ToolUse};
use serde_json::Value;

use super::sketch::{ActionParts, REDACTED};
use super::{key, private, text};
use whole::WholeFileWrites;

/// The limit for all changed lines together.
const CHANGED_MOST: usize = 2_000;

/// The limit for one line; lines of generated files can be as long as the file.
const LINE_MOST: usize = 400;

pub(super) fn describe(used: &ToolUse<'_>, made: &FileChange<'_>, kept: &mut ActionParts) {
    let mut redacted = false;
    if let Some(content) = made.content {
        let reported = screened::content(content);
        kept.put("size", Some(reported.size));
        // The store makes this a keyed hash: a plain one would let a reader test guesses at a
        // password.
        kept.put("hash", Some(reported.hash));
        redacted |= reported.redacted;
    }
    let counted = made.added > 0 || made.removed.is_some_and(|removed| removed > 0);
    if counted || made.content.is_some() {
        kept.put("lines_added", Some(made.added));
        kept.put("lines_removed", made.removed);
    }
    let screened = screened::lines(&made.lines);
    redacted |= screened.iter().any(Option::is_some);
    let clean: Vec<Line<'_>> =
        made.lines.iter().zip(&screened).map(|(line, clean)| with(line, clean.as_deref())).collect();
    let clean = FileChange { lines: clean, ..made.clone() };
    kept.put(REDACTED, redacted.then_some(true));
    let (lines, all) = lines(&clean, &WholeFileWrites::of(kept.kind, &clean));
    if !lines.is_empty() && !contains_secret(used.input) && !used.response.is_some_and(contains_secret) {
        kept.put("changed", Some(lines));
        kept.put("changed_truncated", (!all).then_some(true));
    }
}

/// The line, with its text replaced if `clean` is given.
fn with<'l>(line: &Line<'l>, clean: Option<&'l str>) -> Line<'l> {
    match (line, clean) {
        (Line::Removed(_), Some(clean)) => Line::Removed(clean),
        (Line::Added(_), Some(clean)) => Line::Added(clean),
        (line, _) => *line,
    }
}

/// Whether any reported part of the change contains a private span or a private key. The changed
/// lines alone may be the middle of one that begins and ends in unchanged lines.
fn contains_secret(reported: &Value) -> bool {
    match reported {
        Value::String(text) => private::is_in(text) || key::is_in(text),
        Value::Array(items) => items.iter().any(contains_secret),
        Value::Object(fields) => fields.values().any(contains_secret),
        _ => false,
    }
}

/// The lines with their signs, without private spans, and whether these are all of them.
fn lines(made: &FileChange<'_>, whole: &WholeFileWrites<'_>) -> (String, bool) {
    let reported = made.lines.iter().filter(|line| !matches!(line, Line::File(_))).count() as u64;
    let sections = made.lines.chunk_by(|_, next| !matches!(next, Line::File(_)));
    let shown: Vec<_> = sections.flat_map(|section| first(section, whole.most(section))).collect();
    let mut all = reported == made.added + made.removed.unwrap_or(0) && shown.len() == made.lines.len();
    let mut lines = String::new();
    for line in shown {
        let (sign, line) = match line {
            Line::File(file) => ("@ ", file),
            Line::Removed(line) => ("-", line),
            Line::Added(line) => ("+", line),
        };
        let cut = cut_to_chars(line, LINE_MOST);
        if cut.is_some() {
            all = false;
        }
        // Only leading whitespace is significant.
        let shown = cut.map_or_else(|| line.trim_end(), within);
        lines.push_str(sign);
        lines.push_str(shown);
        lines.push('\n');
    }
    let kept = text::head(&lines, CHANGED_MOST);
    (kept.text, all && !kept.cut)
}

/// The first lines of a section: at most `most` added and `most` removed ones, or all if `most` is
/// `None`. If no lines may be kept, the file's name is dropped too.
fn first<'a>(section: &[Line<'a>], most: Option<u64>) -> Vec<Line<'a>> {
    let mut left = most.map(|most| (most, most));
    let mut shown = section.to_vec();
    shown.retain(|line| match (line, &mut left) {
        (_, None) => true,
        (Line::File(_), Some((came, _))) => *came > 0,
        (Line::Added(_), Some((left, _))) | (Line::Removed(_), Some((_, left))) => {
            let room = *left > 0;
            *left = left.saturating_sub(1);
            room
        }
    });
    shown
}

/// The line, cut after its last complete word.
fn within(line: &str) -> &str {
    line.rfind(char::is_whitespace).map_or("", |space| &line[..space])
}
