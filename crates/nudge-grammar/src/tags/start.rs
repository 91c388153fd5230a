//! Recognises the begin of a tool tag, and the words in it.

use super::tool::{LONGEST_WORD, WORDS, find_word};

/// The longest prefix of a tag name (`nudge:get`), in bytes with the colon.
const LONGEST_PREFIX: usize = 20;

/// The begin of a tool tag.
pub(super) struct TagStart {
    pub(super) word: usize,
    pub(super) is_close: bool,
    pub(super) name_end: usize,
    pub(super) renamed: bool,
}

/// Reads the begin of a tool tag at this byte, if there is one.
pub(super) fn tool_tag_at(text: &str, at: usize) -> Option<TagStart> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'<') {
        return None;
    }
    let is_close = bytes.get(at + 1) == Some(&b'/');
    let mut from = at + 1 + usize::from(is_close);
    let mut end = word_end(bytes, from);
    let prefixed = end > from && bytes.get(end) == Some(&b':');
    if prefixed {
        from = end + 1;
        end = word_end(bytes, from);
    }
    let is_bounded = match bytes.get(end) {
        None | Some(b'>') => true,
        Some(b'<') => is_close,
        Some(b'/') => !is_close,
        Some(byte) => byte.is_ascii_whitespace(),
    };
    if !is_bounded || end == from || end - from > LONGEST_WORD {
        return None;
    }
    let name = &text[from..end];
    let word = find_word(name)?;
    Some(TagStart { word, is_close, name_end: end, renamed: prefixed || name != WORDS[word].text })
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from.min(bytes.len())..bytes.len().min(from + LONGEST_PREFIX)];
    from + rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
}

/// The first byte at or after `pos` that is not blank.
pub(super) fn blank_end(bytes: &[u8], mut pos: usize) -> usize {
    while bytes.get(pos).is_some_and(u8::is_ascii_whitespace) {
        pos += 1;
    }
    pos
}

/// Whether a word can name an attribute. A long word is a value.
pub(super) fn is_name(word: &str) -> bool {
    word.len() <= 40
        && word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':'))
        && !word.ends_with(':')
}

/// The last character boundary at or before this byte.
pub(super) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
