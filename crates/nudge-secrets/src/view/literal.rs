//! Strings in a text that contain a text themselves: `"body": "first line\nsecond \"line\""`.

use super::View;

/// The shortest and the longest string that are read, in bytes.
const LEAST: usize = 16;
const LONGEST: usize = 64 * 1024;

/// Each string with escapes in it, decoded by one level.
pub(in super::super) fn all(text: &[u8]) -> impl Iterator<Item = View> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            at += text[at..].iter().position(|b| *b == b'"')?;
            let before = text[..at].iter().rev().take(8).find(|b| !b.is_ascii_whitespace());
            let opens = at == 0 || matches!(before, Some(b':' | b',' | b'[' | b'=' | b'('));
            if !opens {
                at += 1;
                continue;
            }
            let (view, end, escapes) = read(text, at + 1);
            // A string without an end is not one, and its content is checked on its own.
            at = if text.get(end) == Some(&b'"') { end + 1 } else { at + 1 + (end - at) / 2 };
            if escapes && view.text.len() >= LEAST {
                return Some(view);
            }
        }
        None
    })
}

/// The string that begins at `from`, where it ends, and whether it contains an escaped line end or
/// quote.
fn read(text: &[u8], from: usize) -> (View, usize, bool) {
    let mut view = View::empty();
    let (mut at, mut escapes) = (from, false);
    let limit = text.len().min(from + LONGEST);
    while at < limit && !matches!(text[at], b'"' | b'\n') {
        let next = text.get(at + 1).copied();
        let (b, length) = match (text[at], next) {
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b'r')) => (b'\r', 2),
            (b'\\', Some(b't')) => (b'\t', 2),
            (b'\\', Some(b @ (b'"' | b'\\' | b'/'))) => (b, 2),
            (b, _) => (b, 1),
        };
        escapes |= length == 2;
        view.push(b, at, at + length);
        at += length;
    }
    (view, at, escapes)
}
