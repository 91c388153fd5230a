//! Collects the calls, the warnings and the prose of one reading.

use std::ops::Range;

use super::call::Call;
use super::resolve::{Raw, resolve};
use super::start::floor_boundary;
use super::tool::WORDS;
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
        let word = &WORDS[raw.word];
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
