//! Fits text into what is left of a line.

use nudge_core::text;

/// Cuts a value to what is left of a line, or leaves it whole where nothing limits it.
pub(crate) fn cut(value: &str, columns: usize, used: usize) -> String {
    text::one_line_of_columns(value, columns.saturating_sub(used).max(12))
}
