//! Steps applied to a body; for a text that was not found, the place that is most like it.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::time::Duration;

use similar::TextDiff;

use super::locate::{self, TextMatch};
use super::outcome::{ConflictReason, EditConflict, EditStep, EditWarning, Edited, MatchQuality, Nearest};
use super::patch;
use crate::pattern::Pattern;

/// How many characters of a search a conflict quotes.
const MAX_QUOTED: usize = 200;

/// How the body of the edit was written.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    is_marked: bool,
    has_outside: bool,
}

impl Manner {
    pub(super) fn of(is_marked: bool, has_outside: bool) -> Self {
        Self { is_marked, has_outside }
    }
}

/// How many bytes of bodies the steps of one edit may read together: about a second.
const MAX_READ_BYTES: usize = 128 * 1024 * 1024;

/// Applies all steps, or none.
pub(super) fn apply(
    steps: &[EditStep],
    manner: Manner,
    current: Option<&str>,
) -> Result<Edited, EditConflict> {
    let mut work = Work { body: current.map(str::to_owned), ..Work::default() };
    if manner.has_outside {
        work.warnings.push(EditWarning::Outside);
    }
    let mut read = 0_usize;
    for (number, step) in steps.iter().enumerate() {
        // Each step may read the whole body.
        read = read.saturating_add(work.body.as_ref().map_or(0, String::len));
        if number > 0 && read > MAX_READ_BYTES {
            let failure =
                Failure { reason: ConflictReason::TooCostly, searched: String::new(), body: String::new() };
            return Err(conflict(number, step, failure));
        }
        work.step = number;
        work.run(step, manner.is_marked).map_err(|failure| conflict(number, step, failure))?;
    }
    let body = work.body.unwrap_or_default();
    Ok(Edited { body, matched: work.matched.unwrap_or(MatchQuality::Exact), warnings: work.warnings })
}

/// A step that does not fit.
struct Failure {
    reason: ConflictReason,
    searched: String,
    body: String,
}

fn conflict(step: usize, failed: &EditStep, failure: Failure) -> EditConflict {
    let searched: String = failure.searched.chars().take(MAX_QUOTED).collect();
    let nearest = match failure.reason {
        ConflictReason::NotFound => nearest(&failure.body, &failure.searched),
        _ => None,
    };
    EditConflict { step, name: failed.name(), reason: failure.reason, searched, nearest }
}

/// The body while steps apply.
#[derive(Default)]
struct Work {
    body: Option<String>,
    step: usize,
    matched: Option<MatchQuality>,
    warnings: Vec<EditWarning>,
}

impl Work {
    fn run(&mut self, step: &EditStep, is_marked: bool) -> Result<(), Failure> {
        match step {
            EditStep::Replace(text) if is_marked => self.body = Some(self.like_current(text)),
            EditStep::Replace(text) => self.body = Some(text.clone()),
            EditStep::Prepend(text) => self.prepend(text),
            EditStep::Append(text) => self.append(text),
            EditStep::Delete(search) => self.delete(search)?,
            EditStep::SearchReplace { search, replace } if search.is_empty() => self.append(replace),
            EditStep::SearchReplace { search, replace } => self.replace(search, replace)?,
            EditStep::Substitute(pattern) => self.substitute(pattern)?,
            EditStep::Patch(text) => self.patch(text)?,
        }
        Ok(())
    }

    /// A whole body with the line ends of the one before, and with a last one when that has it.
    fn like_current(&self, text: &str) -> String {
        let current = self.body.as_deref().unwrap_or_default();
        let ending = locate::ending(current);
        let mut text = locate::adopt(text, ending).into_owned();
        if current.ends_with('\n') && !text.is_empty() && !text.ends_with('\n') {
            text.push_str(ending);
        }
        text
    }

    fn prepend(&mut self, text: &str) {
        let current = self.body.take().unwrap_or_default();
        let ending = locate::ending(&current);
        let mut body = locate::adopt(text, ending).into_owned();
        if !current.is_empty() && !body.is_empty() && !body.ends_with('\n') {
            body.push_str(ending);
        }
        self.body = Some(body + &current);
    }

    fn append(&mut self, text: &str) {
        let mut body = self.body.take().unwrap_or_default();
        let ending = locate::ending(&body);
        let has_end = body.ends_with('\n');
        if !body.is_empty() && !has_end && !text.is_empty() {
            body.push_str(ending);
        }
        body.push_str(&locate::adopt(text, ending));
        if has_end && !body.ends_with('\n') {
            body.push_str(ending);
        }
        self.body = Some(body);
    }

    fn delete(&mut self, search: &str) -> Result<(), Failure> {
        let place = self.find(search)?;
        self.splice(|body| {
            let range = with_indent(body, &place.range);
            (whole_lines(body, &range).unwrap_or(place.range), String::new())
        });
        Ok(())
    }

    fn replace(&mut self, search: &str, replace: &str) -> Result<(), Failure> {
        let place = self.find(search)?;
        self.splice(|body| {
            let whole = whole_lines(body, &place.range).filter(|_| replace.is_empty());
            (whole.unwrap_or_else(|| place.range.clone()), replacement(&place, body, search, replace))
        });
        Ok(())
    }

    fn substitute(&mut self, pattern: &Pattern) -> Result<(), Failure> {
        let body = self.current(pattern.text())?;
        let fails = |reason| Failure { reason, searched: pattern.text().to_owned(), body: body.to_owned() };
        let is_found = pattern.found_in(body).map_err(|error| fails(ConflictReason::Pattern(error)))?;
        if !is_found {
            return Err(fails(ConflictReason::NotFound));
        }
        let result = pattern.substitute(body).unwrap_or_else(|| Ok(body.to_owned()));
        self.body = Some(result.map_err(|error| fails(ConflictReason::Pattern(error)))?);
        Ok(())
    }

    /// A patch as it is; where it does not fit, hunk by hunk like a search.
    fn patch(&mut self, text: &str) -> Result<(), Failure> {
        if self.body.is_none() && patch::parse(text).iter().all(|hunk| hunk.old.is_empty()) {
            self.body = Some(String::new());
        }
        if let Ok(body) = patch::apply_patch(self.current(text)?, text) {
            self.body = Some(body);
            return Ok(());
        }
        for hunk in patch::parse(text) {
            let (old, new) = (hunk.old.concat(), hunk.new.concat());
            if old.is_empty() {
                self.append(&new);
            } else {
                self.replace(&old, &new)?;
            }
        }
        Ok(())
    }

    fn current(&self, searched: &str) -> Result<&str, Failure> {
        self.body.as_deref().ok_or_else(|| Failure {
            reason: ConflictReason::NoEntry,
            searched: searched.to_owned(),
            body: String::new(),
        })
    }

    /// Finds a text, and notes how sure the place is.
    fn find(&mut self, search: &str) -> Result<TextMatch, Failure> {
        let body = self.current(search)?;
        let Some(place) = locate::locate(body, search) else {
            return Err(Failure {
                reason: ConflictReason::NotFound,
                searched: search.to_owned(),
                body: body.to_owned(),
            });
        };
        let line = locate::number(body, place.range.start);
        self.note(&place, line);
        Ok(place)
    }

    fn note(&mut self, place: &TextMatch, line: usize) {
        let step = self.step;
        if place.count > 1 {
            self.warnings.push(EditWarning::Ambiguous { step, count: place.count, line });
        }
        match place.quality {
            MatchQuality::Whitespace if place.is_unescaped => {
                self.warnings.push(EditWarning::Unescaped { step });
            }
            MatchQuality::Whitespace => self.warnings.push(EditWarning::Whitespace { step }),
            MatchQuality::Reindented => self.warnings.push(EditWarning::Reindented { step }),
            MatchQuality::Exact | MatchQuality::LineStart => {}
        }
        self.matched = self.matched.max(Some(place.quality));
    }

    fn splice(&mut self, change: impl FnOnce(&str) -> (Range<usize>, String)) {
        if let Some(body) = &mut self.body {
            let (range, text) = change(body);
            body.replace_range(range, &text);
        }
    }
}

/// The replacement as it goes into the body: its line ends, its indentation, its last line end.
fn replacement(place: &TextMatch, body: &str, search: &str, replace: &str) -> String {
    let mut text = replace;
    // A place that was found by lines ends before its line end.
    let is_by_lines = place.quality >= MatchQuality::Whitespace && !place.is_unescaped;
    if is_by_lines && search.ends_with('\n') {
        text = locate::without_end(text);
    }
    let healed = place.indents.as_ref().map(|indents| indents.heal(text));
    locate::adopt(healed.as_deref().unwrap_or(text), locate::ending(body)).into_owned()
}

/// The range with the indentation before it, when nothing else is before it on its line.
fn with_indent(body: &str, range: &Range<usize>) -> Range<usize> {
    let before = body[..range.start].trim_end_matches([' ', '\t']);
    let begins_line = before.is_empty() || before.ends_with('\n');
    if begins_line { before.len()..range.end } else { range.clone() }
}

/// The range with its line end, when it is one or more whole lines; `None` when it is not.
///
/// At the end of a body without a last line end, the line end before the range goes.
fn whole_lines(body: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let before = &body[..range.start];
    let begins = before.is_empty() || before.ends_with('\n');
    let is_open = !body[range.clone()].ends_with('\n');
    let end = locate::end_at(body, range.end);
    if !begins || !is_open || range.is_empty() {
        None
    } else if end > 0 {
        Some(range.start..range.end + end)
    } else if range.end == body.len() {
        Some(locate::without_end(before).len()..range.end)
    } else {
        None
    }
}

// The place of a body that is most like a text that was not found.

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
