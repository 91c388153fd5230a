//! Patterns written in this program's source.

use regex::Regex;

/// Compiles a pattern from this program's source, which is known to be valid.
///
/// The workspace builds `regex` without Unicode tables: write `(?-u:\b)`, `[0-9]` and `[ \t]`.
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a pattern written in the source compiles")
}

/// The one-based line of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}
