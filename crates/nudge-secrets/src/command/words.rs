//! The words of a command line, as byte ranges.

use nudge_core::shell::{self, Reading, Token};

/// Words from `from` to the end of the command: a line end, a pipe or a separator.
pub(super) fn of(text: &[u8], from: usize) -> Vec<(usize, usize)> {
    /// More arguments than people write before the flag that matters.
    const MOST: usize = 64;
    some(text, from).take(MOST).collect()
}

/// The first word of the command.
pub(super) fn first(text: &[u8], from: usize) -> Option<(usize, usize)> {
    some(text, from).next()
}

fn some(text: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
    shell::tokens(text, from, Reading::Text).map_while(Token::word).map(|word| (word.start, word.end))
}

/// The range without the quotes around it.
pub(super) fn unquoted(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let inside = shell::unquoted(text, start..end);
    (inside.start, inside.end)
}
