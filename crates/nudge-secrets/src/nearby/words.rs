//! The words of a sentence, as byte ranges.

/// How far a sentence is followed after a name, in bytes.
pub(super) const REACH: usize = 140;

/// One word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub start: usize,
    /// The end of the word itself, without punctuation.
    pub end: usize,
    /// The end of the punctuation after it.
    pub closed: usize,
}

/// The words after `from`, up to the end of the line and no further than `reach`.
///
/// A line that ends with a colon continues on the next one. Punctuation of code ends the sentence.
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
        // A word that `reach` would cut is read to its end, within reason.
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

/// Whether no sentence would have this word.
fn is_code(word: &[u8]) -> bool {
    word.iter().any(|b| b"{}<>\\".contains(b))
        || matches!(word, b"=>" | b"->" | b"==" | b"//" | b"&&" | b"||")
}

/// The extension of a file name is not part of the value.
fn without_extension(text: &[u8], start: usize, end: usize) -> usize {
    let word = &text[start..end];
    match word.iter().rposition(|b| *b == b'.') {
        Some(dot) if word.len() - dot <= 5 && word[dot + 1..].iter().all(u8::is_ascii_lowercase) => {
            start + dot
        }
        _ => end,
    }
}
