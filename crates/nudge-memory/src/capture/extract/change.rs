//! What is kept of a change to files: its size, a hash of the content, and the first changed lines.

use std::borrow::Cow;

use nudge_core::ObservationKind;
use nudge_core::text::{cut_to_chars, first_bytes};
use nudge_harness::tool::{FileChange, Line, ToolUse};
use serde_json::Value;

use super::text::{self, ActionParts, REDACTED_FACT};

/// The limit for all changed lines together.
const MAX_CHANGED_CHARS: usize = 2_000;

/// The limit for one line; lines of generated files can be as long as the file.
const MAX_LINE_CHARS: usize = 400;

pub(super) fn describe(used: &ToolUse<'_>, made: &FileChange<'_>, kept: &mut ActionParts) {
    let mut redacted = false;
    if let Some(content) = made.content {
        let reported = redacted_content(content);
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
    let screened = redacted_lines(&made.lines);
    redacted |= screened.iter().any(Option::is_some);
    let clean: Vec<Line<'_>> =
        made.lines.iter().zip(&screened).map(|(line, clean)| with(line, clean.as_deref())).collect();
    let clean = FileChange { lines: clean, ..made.clone() };
    kept.put(REDACTED_FACT, redacted.then_some(true));
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
        Value::String(text) => text::has_private(text) || text::has_private_key(text),
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
        let cut = cut_to_chars(line, MAX_LINE_CHARS);
        if cut.is_some() {
            all = false;
        }
        // Only leading whitespace is significant.
        let shown = cut.map_or_else(|| line.trim_end(), within);
        lines.push_str(sign);
        lines.push_str(shown);
        lines.push('\n');
    }
    let kept = text::head(&lines, MAX_CHANGED_CHARS);
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

// Removes credentials from changed lines and contents, before signs are put in front of the lines.

/// The hash distinguishes contents; it is too short for security.
const HASH_DIGITS: usize = 16;

/// How much of a content is scanned. Longer content is treated as if it contained a credential.
const MAX_SCANNED_BYTES: usize = 64 * 1024;

/// Sizes of contents with credentials are rounded to this step, because the exact length of a
/// password helps to guess it.
const SECRET_SIZE_STEP: usize = 256;

/// How much of all lines is scanned: far more than is shown.
const MAX_LINES_SCANNED: usize = 32 * 1024;

/// How much of one line is scanned: far more than is shown.
const MAX_LINE_SCANNED: usize = 4 * 1024;

/// What may be reported of a content.
struct ContentReport {
    size: usize,
    hash: String,
    redacted: bool,
}

/// The size and hash of a content, both computed after its credentials are removed.
fn redacted_content(content: &str) -> ContentReport {
    let looked_at = first_bytes(content, MAX_SCANNED_BYTES);
    let clean = nudge_secrets::redact(looked_at);
    let redacted = matches!(clean, Cow::Owned(_));
    if !redacted && looked_at.len() == content.len() {
        return ContentReport { size: content.len(), hash: digits(content.as_bytes()), redacted };
    }
    let size = content.len().div_ceil(SECRET_SIZE_STEP) * SECRET_SIZE_STEP;
    ContentReport { size, hash: digits(format!("{size}\n{clean}").as_bytes()), redacted }
}

fn digits(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..HASH_DIGITS].to_owned()
}

/// For each line, its text without credentials; `None` if it had none. The added lines are scanned
/// as one text and the removed lines as another.
fn redacted_lines(lines: &[Line<'_>]) -> Vec<Option<String>> {
    let mut clean = vec![None; lines.len()];
    for came in [true, false] {
        let of = |line: &Line<'_>| match line {
            Line::Added(_) => came,
            Line::Removed(_) => !came,
            Line::File(_) => false,
        };
        let mut text = String::new();
        let mut places = Vec::new();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| of(line)) {
            let (Line::Added(said) | Line::Removed(said)) = line else { continue };
            if text.len() > MAX_LINES_SCANNED {
                break;
            }
            let said = first_bytes(said, MAX_LINE_SCANNED);
            places.push((number, text.len(), said.len()));
            text.push_str(said);
            text.push('\n');
        }
        let findings = nudge_secrets::scan(&text);
        for (number, start, length) in places {
            let within = findings.iter().filter(|found| found.start < start + length && found.end > start);
            let mut shown = String::new();
            let mut from = start;
            for found in within {
                shown.push_str(&text[from..found.start.max(from)]);
                shown.push_str(nudge_secrets::REDACTED);
                from = found.end.min(start + length);
            }
            if from > start {
                shown.push_str(&text[from..start + length]);
                clean[number] = Some(shown);
            }
        }
    }
    clean
}

// Files that are written whole: never all of their lines are kept.

/// Which files of a change are written whole.
struct WholeFileWrites<'a> {
    made: &'a FileChange<'a>,
    all: bool,
}

impl<'a> WholeFileWrites<'a> {
    fn of(kind: ObservationKind, made: &'a FileChange<'a>) -> Self {
        let all = kind == ObservationKind::FileWrite || is_all_new(made) || made.replaces_nothing;
        Self { made, all }
    }

    /// How many added and how many removed lines of one file may be kept: half of its current lines
    /// if it was written whole. `section` is the file's lines, preceded by its name if there are
    /// several files.
    fn most(&self, section: &[Line<'_>]) -> Option<u64> {
        let named = match section.first() {
            Some(Line::File(file)) => Some(*file),
            _ => None,
        };
        let whole = self.all || named.is_some_and(|file| self.made.new_files.contains(&file));
        whole.then(|| self.current_line_count(section, named.is_some()) / 2)
    }

    /// How many lines the file has now, not counting blank lines: the text is as readable without
    /// them.
    fn current_line_count(&self, section: &[Line<'_>], several: bool) -> u64 {
        if let Some(content) = self.made.content {
            return content.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        }
        let came = section.iter().filter(|line| matches!(line, Line::Added(_))).count() as u64;
        let reported = |line: &&Line<'_>| matches!(line, Line::Added(line) if !line.trim().is_empty());
        // Not all lines of a long file were collected. With several files, it is unknown which file
        // the others belong to.
        let others = if several { 0 } else { self.made.added - came };
        section.iter().filter(reported).count() as u64 + others
    }
}

/// Whether nothing was removed and every line of the file was added.
fn is_all_new(made: &FileChange<'_>) -> bool {
    let held = made.content.map(|content| content.lines().count() as u64);
    made.removed == Some(0) && made.added > 0 && held == Some(made.added)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = concat!("9Rxw9kFdu", "DvtsVBT0yd5");

    #[test]
    fn a_value_on_another_line_than_its_name_is_found() {
        let value = format!("    value: {SECRET}");
        let all = [
            Line::Added("  - name: DB_PASSWORD"),
            Line::Removed("x"),
            Line::Added(&value),
            Line::Added("ok"),
        ];
        let clean = redacted_lines(&all);
        assert_eq!(clean[2].as_deref(), Some("    value: [REDACTED]"));
        assert_eq!((clean[0].clone(), clean[1].clone(), clean[3].clone()), (None, None, None));
    }

    #[test]
    fn size_and_hash_tell_nothing_of_a_credential() {
        let of = |password: &str| redacted_content(&format!("user = app\npassword = {password}\n"));
        let (one, other) = (of(SECRET), of(concat!("tr0ub4dor", "-and-3")));
        assert!(one.redacted && one.size == 256);
        assert_eq!((one.size, one.hash), (other.size, other.hash));
        assert_ne!(redacted_content("user = app").hash, redacted_content("user = bob").hash);
        assert_eq!(
            (redacted_content("user = app").size, redacted_content("user = app").redacted),
            (10, false)
        );
    }
}
