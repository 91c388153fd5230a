//! Collects the calls, the warnings and the prose of one reading; recovers calls from bare lines.

use std::ops::Range;

use serde_json::Value;

use super::lex::{floor_boundary, has_extension};
use super::resolve::{Raw, resolve};
use super::tool::{Call, TAG_WORDS, Tool};
use super::warning::{TagWarning, WarningKind};

/// How many warnings one output keeps: enough for every call of a turn to have some.
const MAX_WARNINGS: usize = 400;

/// What a reading found so far.
pub(super) struct Draft<'a> {
    text: &'a str,
    max_calls: usize,
    pub(super) calls: Vec<Call>,
    pub(super) warnings: Vec<TagWarning>,
    /// The prose, in order.
    pub(super) prose: Vec<Range<usize>>,
    prose_from: usize,
    /// The calls over the limit, and where the first of them is.
    dropped: usize,
    dropped_at: usize,
    more_warnings: usize,
}

impl<'a> Draft<'a> {
    pub(super) fn new(text: &'a str, max_calls: usize) -> Self {
        Self {
            text,
            max_calls,
            calls: vec![],
            warnings: vec![],
            prose: vec![],
            prose_from: 0,
            dropped: 0,
            dropped_at: 0,
            more_warnings: 0,
        }
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, kind: WarningKind, at: usize, message: impl Into<String>) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(TagWarning::new(kind, at, message));
        } else {
            self.more_warnings += 1;
        }
    }

    /// Takes a range out of the prose.
    pub(super) fn take(&mut self, from: usize, to: usize) {
        if from > self.prose_from {
            self.prose.push(self.prose_from..from);
        }
        self.prose_from = self.prose_from.max(to);
    }

    /// Whether prose stands on the line before this byte, not far from it.
    pub(super) fn has_prose_on_line(&self, at: usize) -> bool {
        let near = floor_boundary(self.text, at.saturating_sub(200));
        let before = &self.text[self.prose_from.min(at).max(near)..at];
        !before.rsplit('\n').next().unwrap_or_default().trim().is_empty()
    }

    /// Adds a call and what was recovered in it; over the limit, counts it.
    pub(super) fn call(&mut self, raw: Raw, faults: Vec<TagWarning>) {
        let span = raw.span.clone();
        self.take(span.start, span.end);
        if self.calls.len() >= self.max_calls {
            if self.dropped == 0 {
                self.dropped_at = span.start;
            }
            self.dropped += 1;
            return;
        }
        let mut warnings = faults;
        let word = &TAG_WORDS[raw.word];
        if word.is_alias() {
            let message = format!("the tag {} means {}", word.text, word.tool.name());
            warnings.insert(0, TagWarning::new(WarningKind::RenamedTag, span.start, message));
        }
        let call = resolve(raw, &mut warnings);
        for warning in warnings {
            self.warn(warning.kind, warning.at, warning.message);
        }
        self.calls.push(call);
    }

    /// Ends the reading: the rest is prose, and what was left out is said.
    pub(super) fn finish(&mut self) {
        self.take(self.text.len(), self.text.len());
        if self.dropped > 0 {
            let message = format!("{} calls over the limit of {} were dropped", self.dropped, self.max_calls);
            self.warnings.push(TagWarning::new(WarningKind::DroppedOverCap, self.dropped_at, message));
        }
        if self.more_warnings > 0 {
            let message = format!("{} more warnings were left out", self.more_warnings);
            self.warnings.push(TagWarning::new(WarningKind::MoreWarnings, self.text.len(), message));
        }
    }

    /// Whether calls were found, kept or not.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty() || self.dropped > 0
    }

    /// The prose as text: the pieces without their outer blanks, one to a line.
    pub(super) fn prose_text(&self) -> String {
        let pieces = self.prose.iter().map(|range| self.text[range.clone()].trim());
        pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

// Recovers a call from a bare line, when an output has no tag at all.

/// The call of each bare line.
///
/// A line must begin with `get`, `rm`, `cp` or `mv`, and a path must follow. A path with blanks is
/// accepted only when the line is the whole output and ends like a path.
pub(super) fn bare_calls(text: &str) -> Vec<Raw> {
    let is_only_line = text.trim().lines().count() == 1;
    let mut calls = Vec::new();
    let mut is_fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if content.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && let Some((word, attributes)) = read_line(content, is_only_line) {
            let start = at + line.len() - line.trim_start().len();
            let span = start..start + content.len();
            calls.push(Raw { word, attributes, body: None, span });
        }
        at += line.len();
    }
    calls
}

fn read_line(line: &str, is_only_line: bool) -> Option<(usize, Vec<(String, Value)>)> {
    let (verb, rest) = line.split_once(' ')?;
    let word = TAG_WORDS.iter().position(|word| word.text == verb)?;
    let rest = rest.trim();
    let mut words = rest.split_whitespace();
    let first = words.next().filter(|word| is_path(word))?;
    let attribute = |name: &str, value: &str| (name.to_owned(), Value::String(value.to_owned()));
    match (TAG_WORDS[word].tool, words.next(), words.next()) {
        (Tool::Get | Tool::Rm, None, _) => Some((word, vec![attribute("path", first)])),
        (Tool::Get | Tool::Rm, Some(_), _)
            if is_only_line && rest.split_whitespace().last().is_some_and(is_path) =>
        {
            Some((word, vec![attribute("path", rest)]))
        }
        (Tool::Cp | Tool::Mv, Some(to), None) if is_path(to) => {
            Some((word, vec![attribute("path", first), attribute("to", to)]))
        }
        _ => None,
    }
}

fn is_path(word: &str) -> bool {
    word.contains("://")
        || (word.contains('/') && !word.ends_with([',', ';', ':', '.']))
        || has_extension(word)
}
