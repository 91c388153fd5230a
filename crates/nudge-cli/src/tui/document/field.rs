//! `name  text`, with the names in one column.

use crate::tui::styled::{Styled, Tone};

/// The width of a name and the spaces after it.
const NAME: usize = 10;

/// A field, on as many lines as its text needs.
pub(super) fn field(name: &str, tone: Tone, text: &str, columns: usize) -> Vec<Styled> {
    Styled::faint(format!("{name:<NAME$}")).and(tone, text.trim()).wrapped(columns, NAME)
}
