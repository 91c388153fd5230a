//! Line ends: which a text uses, and how a piece takes them over.

use std::borrow::Cow;
use std::ops::Range;

/// The line end that most lines of a text have; `\n` when there are none.
pub(super) fn ending(text: &str) -> &'static str {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

/// The piece with the line end of the body it goes into.
///
/// Only bare `\n` becomes `\r\n`; a piece that has `\r\n` itself stays as it is.
pub(super) fn adopt<'a>(piece: &'a str, ending: &str) -> Cow<'a, str> {
    if ending == "\r\n" && piece.contains('\n') && !piece.contains("\r\n") {
        Cow::Owned(piece.replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(piece)
    }
}

/// The ranges of the lines without their ends.
pub(super) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = from;
        from += line.len();
        let bare = line.strip_suffix('\n').unwrap_or(line);
        start..start + bare.strip_suffix('\r').unwrap_or(bare).len()
    })
}

/// The number of the line that holds a position, from 1.
pub(super) fn number(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

/// The length of the line end that begins at `at`; 0 when there is none.
pub(super) fn end_at(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) }
}

/// The text before one line end at its end.
pub(super) fn without_end(text: &str) -> &str {
    let bare = text.strip_suffix('\n').unwrap_or(text);
    if bare.len() < text.len() { bare.strip_suffix('\r').unwrap_or(bare) } else { text }
}
