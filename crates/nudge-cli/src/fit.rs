//! Fits text into the rest of a line.

use nudge_core::text;

/// Cuts a value to the rest of a line. Without a limit it stays whole.
pub(crate) fn cut(value: &str, columns: usize, used: usize) -> String {
    text::one_line_of_columns(value, columns.saturating_sub(used).max(12))
}
