//! The words of a sentence, as byte ranges.

/// How far a sentence is followed behind a name.
pub(super) const REACH: usize = 140;

/// One word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub start: usize,
    /// Where the word itself ends, without the marks of the sentence.
    pub end: usize,
    /// Where the marks behind it end.
    pub closed: usize,
}

/// The words behind `from`, up to the end of the sentence's line and no further than `reach`.
///
/// A line that ends with a colon goes on with the next one. Marks of code end the sentence.
pub(super) fn after(text: &[u8], from: usize, reach: usize) -> impl Iterator<Item = Word> {
    let limit = text.len().min(from + reach);
    let mut at = from;
    let mut colon = false;
    std::iter::from_fn(move || {
        while at < limit && (text[at].is_ascii_whitespace() || OPENING.contains(&text[at])) {
            if text[at] == b'\n' && !colon {
                return None;
            }
            at += 1;
        }
        let start = at;
        while at < limit && !text[at].is_ascii_whitespace() {
            at += 1;
        }
        // A word that is cut off by the reach is read to its end, within reason.
        while at < text.len() && at < limit + 64 && !text[at].is_ascii_whitespace() {
            at += 1;
        }
        if start >= at || is_code(&text[start..at]) {
            return None;
        }
        let closing = text[start..at].iter().rev().take_while(|b| CLOSING.contains(b)).count();
        let end = at - closing;
        colon = text[at - 1] == b':' || (colon && start == at);
        Some(Word { start, end: without_extension(text, start, end), closed: at })
    })
}

const OPENING: &[u8] = b"\"'`([*-,;|";
const CLOSING: &[u8] = b"\"'`)],.;:*|";

/// What no sentence has.
fn is_code(word: &[u8]) -> bool {
    word.iter().any(|b| b"{}<>\\".contains(b))
        || matches!(word, b"=>" | b"->" | b"==" | b"//" | b"&&" | b"||")
}

/// A file name's ending is no part of what the name tells.
fn without_extension(text: &[u8], start: usize, end: usize) -> usize {
    let word = &text[start..end];
    match word.iter().rposition(|b| *b == b'.') {
        Some(dot) if word.len() - dot <= 5 && word[dot + 1..].iter().all(u8::is_ascii_lowercase) => {
            start + dot
        }
        _ => end,
    }
}
