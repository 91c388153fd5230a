//! Unified diffs with three lines of context.

use std::fmt::Write as _;
use std::time::Duration;

use similar::{DiffOp, DiffTag, TextDiff};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// After this the rest is shown as one change, which is still a right diff.
const PATIENCE: Duration = Duration::from_millis(500);

/// The mark after a last line without a line end.
pub(super) const NO_END: &str = "\\ No newline at end of file";

/// The unified diff from `old` to `new`; empty when they are equal.
///
/// A line ends at `\n` alone: `\r` belongs to the line, so that [`apply_patch`](super::apply_patch)
/// gives the exact bytes.
pub fn unified_diff(path: &str, old: &str, new: &str) -> String {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&before, &after);
    let mut out = String::new();
    for group in diff.grouped_ops(CONTEXT) {
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
