//! What is kept of a change to files: how large it is, a hash of the content, and the first of the lines that changed.

mod screened;
mod whole;

use nudge_core::text::cut_to_chars;
use nudge_harness::tool::{FileChange, Line, ToolUse};
use serde_json::Value;

use super::sketch::{REDACTED, Sketch};
use super::{key, private, text};
use whole::Whole;

/// All changed lines together.
const CHANGED_MOST: usize = 2_000;

/// One line; lines of generated files can be as long as the file.
const LINE_MOST: usize = 400;

pub(super) fn describe(used: &ToolUse<'_>, made: &FileChange<'_>, kept: &mut Sketch) {
    let mut redacted = false;
    if let Some(content) = made.content {
        let told = screened::content(content);
        kept.put("size", Some(told.size));
        // The store keys it: by itself it would tell whoever reads it what to try a password against.
        kept.put("hash", Some(told.hash));
        redacted |= told.redacted;
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
    let (lines, all) = lines(&clean, &Whole::of(kept.kind, &clean));
    if !lines.is_empty() && !is_secretive(used.input) && !used.response.is_some_and(is_secretive) {
        kept.put("changed", Some(lines));
        kept.put("changed_truncated", (!all).then_some(true));
    }
}

/// The line with its text replaced, where that was.
fn with<'l>(line: &Line<'l>, clean: Option<&'l str>) -> Line<'l> {
    match (line, clean) {
        (Line::Removed(_), Some(clean)) => Line::Removed(clean),
        (Line::Added(_), Some(clean)) => Line::Added(clean),
        (line, _) => *line,
    }
}

/// Whether anything that was told of the change has a private span or a private key in it: the changed lines alone may be
/// the inside of one that begins and ends in lines that did not change.
fn is_secretive(told: &Value) -> bool {
    match told {
        Value::String(text) => private::is_in(text) || key::is_in(text),
        Value::Array(items) => items.iter().any(is_secretive),
        Value::Object(fields) => fields.values().any(is_secretive),
        _ => false,
    }
}

/// The lines with their signs, without private spans, and whether these are all.
fn lines(made: &FileChange<'_>, whole: &Whole<'_>) -> (String, bool) {
    let told = made.lines.iter().filter(|line| !matches!(line, Line::File(_))).count() as u64;
    let sections = made.lines.chunk_by(|_, next| !matches!(next, Line::File(_)));
    let shown: Vec<_> = sections.flat_map(|section| first(section, whole.most(section))).collect();
    let mut all = told == made.added + made.removed.unwrap_or(0) && shown.len() == made.lines.len();
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
        // Only the blanks before the text of a line mean something.
        let shown = cut.map_or_else(|| line.trim_end(), within);
        lines.push_str(sign);
        lines.push_str(shown);
        lines.push('\n');
    }
    let kept = text::head(&lines, CHANGED_MOST);
    (kept.text, all && !kept.cut)
}

/// The first lines of a section, at most so many of each sign; nothing at all where there may be none.
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

/// The line up to the last word that is whole.
fn within(line: &str) -> &str {
    line.rfind(char::is_whitespace).map_or("", |space| &line[..space])
}
