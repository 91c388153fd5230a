//! Finds every tool tag of an output, in one pass and without knowing what is a body.

use super::open::{Ending, OpenTag, read_open};
use super::tool::{MAX_WORD_BYTES, TAG_WORDS, find_word};

/// Attributes that need no value.
const FLAG_ATTRIBUTES: [&str; 8] =
    ["preview", "manifest", "recursive", "force", "all", "verbose", "append", "overwrite"];

/// Names of native formats that an output may end in.
const NATIVE_NAMES: [&str; 4] = ["tool_calls", "tool_use", "function_calls", "invoke"];

/// The longest part of a name at the end of an output, in bytes.
const MAX_CUT: usize = 20;

/// What a token is.
#[derive(Debug)]
pub(super) enum Kind {
    Open(OpenTag),
    Close,
    /// A tool name in angle brackets with words that are no attributes.
    Broken,
}

/// One tool tag.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The index of its word.
    pub(super) word: usize,
    /// Whether the name was not written exactly as the word.
    pub(super) renamed: bool,
    pub(super) kind: Kind,
    /// Whether it stands in a quotation and opens or closes nothing.
    pub(super) quoted: bool,
}

impl Token {
    /// Whether it opens a body.
    pub(super) fn opens(&self) -> bool {
        !self.quoted && matches!(&self.kind, Kind::Open(tag) if tag.ending != Ending::SelfClosed)
    }

    /// Whether it closes a body.
    pub(super) fn closes(&self) -> bool {
        !self.quoted && matches!(self.kind, Kind::Close)
    }
}

/// Where the output was cut inside the name of a tag, if it was.
pub(super) fn cut_name(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let tail = bytes.len().saturating_sub(MAX_CUT);
    let at = tail + bytes[tail..].iter().rposition(|&b| b == b'<')?;
    let name = &bytes[at + 1..];
    if let Some(token) = name.strip_prefix(b"|") {
        return token.iter().all(|b| b.is_ascii_lowercase() || *b == b'_').then_some(at);
    }
    let is_part = |name: &[u8]| {
        let words = TAG_WORDS.iter().map(|word| word.text).chain(NATIVE_NAMES);
        words.into_iter().any(|word| word.as_bytes().starts_with(name))
    };
    if let Some(name) = name.strip_prefix(b"/") {
        return is_part(name).then_some(at);
    }
    // One letter inside a line is rather a comparison than a tag.
    let is_at_start = at == 0 || bytes[at - 1] == b'\n';
    let least = if is_at_start { 1 } else { 2 };
    (name.len() >= least && is_part(name)).then_some(at)
}

/// Finds every tool tag.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    // Components such as `<Set>` are code. Their close tags are code too.
    let mut components = vec![0_usize; TAG_WORDS.len()];
    let mut pos = 0;
    while let Some(offset) = text[pos..].find('<') {
        let start = pos + offset;
        pos = start + 1;
        let Some(tag) = tool_tag_at(text, start) else { continue };
        let is_lower = !text[start..tag.name_end].bytes().any(|b| b.is_ascii_uppercase());
        let open = &mut components[tag.word];
        if tag.is_close && !is_lower && *open > 0 {
            *open -= 1;
            continue;
        }
        match token(text, start, &tag, is_lower) {
            Some(token) => {
                pos = token.end;
                tokens.push(token);
            }
            None => *open += 1,
        }
    }
    tokens
}

fn token(text: &str, start: usize, tag: &TagStart, is_lower: bool) -> Option<Token> {
    let TagStart { word, renamed, .. } = *tag;
    if tag.is_close {
        let (end, has_more) = close_end(text, tag);
        let renamed = renamed || has_more;
        return Some(Token { start, end, word, renamed, kind: Kind::Close, quoted: false });
    }
    let open = read_open(text, tag.name_end);
    let has_value = open.attributes.iter().any(|attribute| attribute.value.is_some());
    if !is_lower && !has_value {
        return None;
    }
    if is_sentence(&open) {
        return Some(Token { start, end: tag.name_end, word, renamed, kind: Kind::Broken, quoted: false });
    }
    Some(Token { start, end: open.end, word, renamed, kind: Kind::Open(open), quoted: false })
}

/// The end of a close tag: after `>`, also over one word (`</get path>`), or after the name when
/// `>` is missing; and whether there was such a word.
fn close_end(text: &str, tag: &TagStart) -> (usize, bool) {
    let rest = &text[tag.name_end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let word = rest[blank..].bytes().take(20).take_while(u8::is_ascii_alphanumeric).count();
    match rest.as_bytes().get(blank + word) {
        Some(b'>') => (tag.name_end + blank + word + 1, word > 0),
        _ => (tag.name_end, false),
    }
}

/// Whether what follows the name are words of a sentence and not attributes.
fn is_sentence(tag: &OpenTag) -> bool {
    let attributes = &tag.attributes;
    let is_named = |a: &super::open::Attribute| !a.name.is_empty() && a.value.is_some();
    if attributes.iter().any(is_named) {
        return false;
    }
    let mut words = attributes.iter().filter(|a| !FLAG_ATTRIBUTES.contains(&a.name.as_str()));
    match (words.next(), words.next()) {
        (None, _) => tag.ending == Ending::Missing && attributes.is_empty(),
        (Some(_), None) if tag.ending == Ending::Eof => false,
        (Some(only), None) => !only.value.as_deref().is_some_and(is_target_like),
        (Some(_), Some(_)) => true,
    }
}

/// Whether a word without a name can be a path.
fn is_target_like(word: &str) -> bool {
    word.len() > 1
        && (word.contains('/') || word.contains("://") || word.contains('*') || has_extension(word))
}

/// Whether the word ends like the name of a file.
pub(super) fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (1..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

// Recognises the begin of a tool tag, and the words in it.

/// The longest prefix of a tag name (`nudge:get`), in bytes with the colon.
const MAX_PREFIX: usize = 20;

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
    if !is_bounded || end == from || end - from > MAX_WORD_BYTES {
        return None;
    }
    let name = &text[from..end];
    let word = find_word(name)?;
    Some(TagStart { word, is_close, name_end: end, renamed: prefixed || name != TAG_WORDS[word].text })
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from.min(bytes.len())..bytes.len().min(from + MAX_PREFIX)];
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
