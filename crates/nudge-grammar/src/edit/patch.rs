//! Patches: unified diffs, and hunks without line numbers; read and written.
//!
//! Models count lines badly, so the numbers of a hunk only say where to look first and how a line
//! such as `--- x` is meant. The lines of a hunk must be in the text; there is no fuzz here.

use std::cell::Cell;
use std::fmt::Write as _;
use std::time::Duration;

use similar::{DiffOp, DiffTag, TextDiff};

use super::locate;

/// How many lines are compared to find the place of one hunk.
const MAX_COMPARED: usize = 20_000_000;

/// Why a patch does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// It has no hunk.
    #[error("the patch has no hunk: a hunk begins with `@@`")]
    NoHunk,
    /// The lines of a hunk are not in the text.
    #[error("hunk {hunk} does not fit: its lines are not in the text")]
    Unfit {
        /// The hunk, from 1.
        hunk: usize,
    },
}

/// A part of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line before which to look first, from 0.
    start: Option<usize>,
    /// A line that stands before the hunk, when it has no numbers.
    anchor: Option<String>,
    /// The lines that are there, with their ends.
    pub(super) old: Vec<String>,
    /// The lines that are there afterwards.
    pub(super) new: Vec<String>,
    /// The sign of the line before, which a mark of a missing line end is about.
    last: u8,
}

/// The text after a patch. A patch without any text changes nothing.
pub fn apply_patch(text: &str, patch: &str) -> Result<String, PatchError> {
    if patch.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let hunks = parse(patch);
    if hunks.is_empty() {
        return Err(PatchError::NoHunk);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ending = locate::ending(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let place = hunk.find(&lines, at).ok_or(PatchError::Unfit { hunk: number + 1 })?;
        lines[at..place.start].iter().for_each(|line| out.push_str(line));
        for line in &hunk.new {
            out.push_str(&if place.is_exact { line.clone() } else { with_ending(line, ending) });
        }
        at = place.start + hunk.old.len();
    }
    lines[at..].iter().for_each(|line| out.push_str(line));
    Ok(out)
}

/// Whether a text has a line that begins a hunk.
pub(super) fn has_hunk(text: &str) -> bool {
    text.lines().any(is_hunk_head)
}

fn is_hunk_head(line: &str) -> bool {
    line == "@@" || line.starts_with("@@ ")
}

fn with_ending(line: &str, ending: &str) -> String {
    let bare = locate::without_end(line);
    if bare.len() < line.len() { format!("{bare}{ending}") } else { line.to_owned() }
}

/// Where a hunk fits.
struct HunkFit {
    start: usize,
    /// Whether the line ends are equal too.
    is_exact: bool,
}

impl Hunk {
    /// The place nearest to the number of the hunk, not before `from`.
    fn find(&self, lines: &[&str], from: usize) -> Option<HunkFit> {
        let last = lines.len().checked_sub(self.old.len()).filter(|last| *last >= from)?;
        let first = self.first_guess(lines, from).clamp(from, last);
        [true, false].into_iter().find_map(|is_exact| {
            let compared = Cell::new(0);
            nearest_first(first, from, last)
                .take_while(|_| compared.get() < MAX_COMPARED)
                .find(|start| {
                    let equal = self.equal_lines(&lines[*start..], is_exact);
                    compared.set(compared.get() + equal + 1);
                    equal == self.old.len()
                })
                .map(|start| HunkFit { start, is_exact })
        })
    }

    fn first_guess(&self, lines: &[&str], from: usize) -> usize {
        let anchored = || {
            let anchor = self.anchor.as_deref()?;
            let at = lines[from..].iter().position(|line| line.trim() == anchor)?;
            Some(from + at + 1)
        };
        self.start.or_else(anchored).unwrap_or(from)
    }

    /// How many lines are equal before one differs.
    fn equal_lines(&self, lines: &[&str], is_exact: bool) -> usize {
        let is_equal = |old: &str, line: &str| {
            old == line || (!is_exact && locate::without_end(old) == locate::without_end(line))
        };
        self.old.iter().zip(lines).take_while(|(old, line)| is_equal(old, line)).count()
    }
}

/// `first`, then the places around it, the near ones first.
fn nearest_first(first: usize, from: usize, last: usize) -> impl Iterator<Item = usize> {
    let most = (first - from).max(last - first);
    (0..=most).flat_map(move |far| {
        let after = Some(first + far).filter(|at| *at <= last);
        let before = first.checked_sub(far).filter(|at| far > 0 && *at >= from);
        [after, before].into_iter().flatten()
    })
}

/// The hunks of a patch, in order. Everything else is skipped.
pub(super) fn parse(patch: &str) -> Vec<Hunk> {
    let lines: Vec<&str> = patch.split_inclusive('\n').collect();
    let mut hunks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = locate::without_end(lines[at]);
        at += 1;
        if is_hunk_head(line) {
            let (hunk, taken) = read(line, &lines[at..]);
            at += taken;
            if !hunk.old.is_empty() || !hunk.new.is_empty() {
                hunks.push(hunk);
            }
        }
    }
    hunks
}

/// Reads one hunk, and how many lines it takes.
fn read(head: &str, lines: &[&str]) -> (Hunk, usize) {
    let numbers = Numbers::parse(head);
    let mut hunk = Hunk { start: numbers.as_ref().map(Numbers::before), ..Hunk::default() };
    if numbers.is_none() {
        hunk.anchor = head.strip_prefix("@@ ").map(|text| text.trim_end_matches("@@").trim().to_owned());
    }
    let mut at = 0;
    while at < lines.len() {
        let is_whole = numbers
            .as_ref()
            .is_none_or(|numbers| hunk.old.len() >= numbers.old_count && hunk.new.len() >= numbers.new_count);
        if is_whole && ends_hunk(&lines[at..]) {
            break;
        }
        if !hunk.push(lines[at]) {
            break;
        }
        at += 1;
    }
    (hunk, at)
}

/// Whether what follows is another hunk or file, or nothing but the end of the patch.
fn ends_hunk(lines: &[&str]) -> bool {
    let line = lines[0];
    let is_file = line.starts_with("--- ") && lines.get(1).is_some_and(|next| next.starts_with("+++ "));
    let is_signature = line.trim_end() == "--" && lines.len() <= 3;
    let is_rest_blank = || lines.iter().all(|line| line.trim().is_empty());
    is_file || is_signature || (line.trim_end().is_empty() && !line.starts_with(' ') && is_rest_blank())
}

impl Hunk {
    /// Takes a line in; says no when it does not belong to a hunk.
    fn push(&mut self, line: &str) -> bool {
        // The last line of a patch may have lost its line end on the way.
        let whole = |text: &str| if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
        let Some(text) = line.get(1..) else { return false };
        match line.as_bytes()[0] {
            b' ' => {
                self.old.push(whole(text));
                self.new.push(whole(text));
            }
            b'-' => self.old.push(whole(text)),
            b'+' => self.new.push(whole(text)),
            // A blank line of context that has lost its space.
            b'\n' | b'\r' => {
                self.old.push(line.to_owned());
                self.new.push(line.to_owned());
            }
            b'\\' if line.trim_end() == NO_END => self.drop_end(),
            _ => return false,
        }
        self.last = line.as_bytes()[0];
        true
    }

    /// The line before has no line end.
    fn drop_end(&mut self) {
        let cut = |lines: &mut Vec<String>| {
            if let Some(line) = lines.last_mut() {
                line.pop();
            }
        };
        if self.last != b'+' {
            cut(&mut self.old);
        }
        if self.last != b'-' {
            cut(&mut self.new);
        }
    }
}

/// The numbers of `@@ -1,2 +3,4 @@`.
struct Numbers {
    old_start: usize,
    old_count: usize,
    new_count: usize,
}

impl Numbers {
    fn parse(head: &str) -> Option<Self> {
        let mut words = head.strip_prefix("@@ ")?.split(' ');
        let (old_start, old_count) = pair(words.next()?.strip_prefix('-')?)?;
        let (_, new_count) = pair(words.next()?.strip_prefix('+')?)?;
        Some(Self { old_start, old_count, new_count })
    }

    /// The index of the first old line; an empty range is named by the line before it.
    fn before(&self) -> usize {
        if self.old_count == 0 { self.old_start } else { self.old_start.saturating_sub(1) }
    }
}

fn pair(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

// Unified diffs with three lines of context.

/// Lines of context around a change.
const CONTEXT_LINES: usize = 3;

/// After this the rest is shown as one change, which is still a right diff.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// The mark after a last line without a line end.
pub(super) const NO_END: &str = "\\ No newline at end of file";

/// The unified diff from `old` to `new`; empty when they are equal.
///
/// A line ends at `\n` alone: `\r` belongs to the line, so that [`apply_patch`]
/// gives the exact bytes.
pub fn unified_diff(path: &str, old: &str, new: &str) -> String {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&before, &after);
    let mut out = String::new();
    for group in diff.grouped_ops(CONTEXT_LINES) {
        if out.is_empty() {
            let _ = write!(out, "--- a/{path}\n+++ b/{path}\n");
        }
        write_hunk(&group, &before, &after, &mut out);
    }
    out
}

fn write_hunk(group: &[DiffOp], before: &[&str], after: &[&str], out: &mut String) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let old = first.old_range().start..last.old_range().end;
    let new = first.new_range().start..last.new_range().end;
    let _ = writeln!(out, "@@ -{} +{} @@", range(&old), range(&new));
    for op in group {
        if op.tag() == DiffTag::Equal {
            before[op.old_range()].iter().for_each(|line| write_line(' ', line, out));
        } else {
            before[op.old_range()].iter().for_each(|line| write_line('-', line, out));
            after[op.new_range()].iter().for_each(|line| write_line('+', line, out));
        }
    }
}

/// `start,count`; an empty range is named by the line before it.
fn range(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn write_line(sign: char, line: &str, out: &mut String) {
    out.push(sign);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push('\n');
        out.push_str(NO_END);
        out.push('\n');
    }
}
