//! Finds the end of a quoted attribute value, also of one that is quoted badly.

use super::start::{blank_end, is_name, tool_tag_at};
use super::warning::WarningKind;

/// A value, and where the tag goes on.
pub(super) struct Quoted<'a> {
    pub(super) value: &'a str,
    pub(super) next: usize,
    pub(super) fault: Option<WarningKind>,
    /// Whether the output ended inside the value.
    pub(super) ended: bool,
}

/// Reads the value from `from` on, which `quote` opened.
///
/// The value ends at the first quote when what follows can follow an attribute. If not, it ends at
/// a later quote of the same line that can be the end, or, when the quote is missing, before the
/// next attribute, tag end, tag or line.
///
/// Time: the search for the first quote passes no second opening quote of the same kind, and every
/// later search ends at the next tool tag, so a whole output is read in linear time.
pub(super) fn quoted_value<'a>(text: &'a str, from: usize, quote: &str) -> Quoted<'a> {
    let Some((first, length)) = find_quote(text, from, quote) else { return unclosed(text, from) };
    let has_tag = holds_tool_tag(text, from, first);
    if is_last_quote(text, from, first + length) && !(has_tag && text[..first].ends_with('=')) {
        return Quoted { value: &text[from..first], next: first + length, fault: None, ended: false };
    }
    if has_tag {
        return unclosed(text, from);
    }
    later_quote(text, from, first, quote).unwrap_or_else(|| unclosed(text, from))
}

/// Looks for the end among the later quotes of the line.
fn later_quote<'a>(text: &'a str, from: usize, first: usize, quote: &str) -> Option<Quoted<'a>> {
    let bytes = text.as_bytes();
    let mut at = first;
    while at < bytes.len() && bytes[at] != b'\n' && tool_tag_at(text, at).is_none() {
        let Some(length) = closing_length(text, at, quote) else {
            at += 1;
            continue;
        };
        if is_last_quote(text, from, at + length) {
            let fault = Some(WarningKind::RawQuote);
            return Some(Quoted { value: &text[from..at], next: at + length, fault, ended: false });
        }
        if let Some(end) = before_next_attribute(text, from, at) {
            let value = text[from..end].trim_end();
            return Some(Quoted { value, next: end, fault: Some(WarningKind::UnclosedQuote), ended: false });
        }
        at += length;
    }
    None
}

/// Where the value ends when the quote at `at` opens the value of the next attribute.
fn before_next_attribute(text: &str, from: usize, at: usize) -> Option<usize> {
    let before = text[from..at].strip_suffix('=')?;
    let tail = before.as_bytes().iter().rev().take(41);
    let length = tail.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
    let start = before.len() - length;
    let is_apart = before[..start].ends_with(|c: char| c.is_ascii_whitespace());
    (is_apart && is_name(&before[start..])).then_some(from + start)
}

/// Ends a value that has no closing quote.
fn unclosed(text: &str, from: usize) -> Quoted<'_> {
    let bytes = text.as_bytes();
    let end = (from..bytes.len()).find(|&pos| match bytes[pos] {
        b'>' | b'\n' => true,
        b'/' => bytes.get(pos + 1) == Some(&b'>'),
        b'<' => tool_tag_at(text, pos).is_some(),
        _ => false,
    });
    let next = end.unwrap_or(bytes.len());
    let value = text[from..next].trim_end();
    Quoted { value, next, fault: Some(WarningKind::UnclosedQuote), ended: end.is_none() }
}

/// Whether a value can end before `at`: the tag ends there or another attribute begins. Before the
/// next tag it ends only when no `>` is in it: a `>` shows that the body began already.
fn is_last_quote(text: &str, from: usize, at: usize) -> bool {
    let bytes = text.as_bytes();
    let mut pos = at;
    while bytes.get(pos).is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b',' | b';')) {
        pos += 1;
    }
    match bytes.get(pos) {
        None | Some(b'>') => true,
        Some(b'/') => {
            let is_slash = |b: &u8| *b == b'/' || b.is_ascii_whitespace();
            let slashes = bytes[pos..].iter().take_while(|b| is_slash(b)).count();
            matches!(bytes.get(pos + slashes), None | Some(b'>'))
        }
        Some(b'<') => tool_tag_at(text, pos).is_some() && !text[from..at].contains('>'),
        Some(_) => begins_attribute(bytes, pos, pos > at),
    }
}

/// Whether attribute names begin here: `name=`, or up to four flags before the end of the tag.
fn begins_attribute(bytes: &[u8], mut pos: usize, is_apart: bool) -> bool {
    for _ in 0..4 {
        let rest = &bytes[pos..bytes.len().min(pos + 41)];
        let length =
            rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
        if length == 0 || !rest[0].is_ascii_alphabetic() && rest[0] != b'_' {
            return false;
        }
        let name_end = pos + length;
        let next = blank_end(bytes, name_end);
        match bytes.get(next) {
            Some(b'=') if next == name_end => return true,
            Some(b'=') => {
                return matches!(bytes.get(blank_end(bytes, next + 1)), Some(b'"' | b'\''));
            }
            Some(b'>') => return is_apart,
            Some(b'/') => return is_apart && bytes.get(next + 1) == Some(&b'>'),
            Some(_) if is_apart && next > name_end => pos = next,
            _ => return false,
        }
    }
    false
}

fn holds_tool_tag(text: &str, from: usize, to: usize) -> bool {
    text.as_bytes()[from..to]
        .iter()
        .enumerate()
        .any(|(offset, &b)| b == b'<' && tool_tag_at(text, from + offset).is_some())
}

/// The first quote that can close, with its length.
fn find_quote(text: &str, from: usize, quote: &str) -> Option<(usize, usize)> {
    if !is_curly(quote) {
        return text[from..].find(quote).map(|offset| (from + offset, quote.len()));
    }
    text[from..].char_indices().find_map(|(offset, _)| {
        closing_length(text, from + offset, quote).map(|length| (from + offset, length))
    })
}

/// The length of a closing quote at this byte. A curly quote closes with any curly quote or with
/// the straight one.
fn closing_length(text: &str, at: usize, quote: &str) -> Option<usize> {
    if !text.is_char_boundary(at) {
        return None;
    }
    let rest = &text[at..];
    match quote {
        "“" | "”" => ["”", "“", "\""].iter().find(|end| rest.starts_with(**end)).map(|end| end.len()),
        "‘" | "’" => ["’", "‘", "'"].iter().find(|end| rest.starts_with(**end)).map(|end| end.len()),
        _ => rest.starts_with(quote).then_some(quote.len()),
    }
}

fn is_curly(quote: &str) -> bool {
    !quote.is_ascii()
}
