//! Reads the value after a name: where it begins and ends.

/// The longest value that counts; a longer one is a document.
pub(super) const LONGEST: usize = 8192;

/// The longest unquoted value; it bounds the work on hostile text.
const LONGEST_WORD: usize = 2048;

/// The position of a value in the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Span {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
}

/// Reads the value that begins at `at`: a quoted string, or everything up to a space or separator.
///
/// `until` lists the characters that end an unquoted value.
pub(in super::super) fn read(text: &[u8], at: usize, until: &[u8]) -> Option<Span> {
    let at = skip_scheme(text, skip_wrapping(text, at), text.len());
    // Three quotes open a string of several lines.
    let at = if text[at..].starts_with(b"\"\"\"") || text[at..].starts_with(b"\'\'\'") { at + 2 } else { at };
    let escapes = text[at..].iter().take_while(|b| **b == b'\\').count();
    let span = match text.get(at + escapes) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => quoted(text, at + escapes + 1, quote, escapes),
        _ => bare(text, at, until),
    };
    let start = skip_scheme(text, span.start, span.end);
    (start < span.end).then_some(Span { start, ..span })
}

/// Skips the code around a literal: `b"`, `String::from("`, `[]byte("`, `[`.
fn skip_wrapping(text: &[u8], at: usize) -> usize {
    let at = if text[at..].starts_with(b"[]") { at + 2 } else { at };
    // Perl quotes with any bracket: `q{…}`, `qq(…)`.
    let quotes = [&b"q{"[..], b"qq{", b"q(", b"qq(", b"q[", b"%q{", b"%q(", b"%Q("];
    if let Some(quote) = quotes.iter().find(|quote| text[at..].starts_with(quote)) {
        return at + quote.len();
    }
    let word =
        text[at..].iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || b"_:.".contains(b)).count();
    let mut next = at + word;
    if text.get(next) == Some(&b'(') || word == 0 && matches!(text.get(next), Some(b'[' | b'(')) {
        next += 1;
    } else if word > 2 {
        return at;
    }
    match text.get(next) {
        Some(b'"' | b'\'') => next,
        _ => at,
    }
}

fn quoted(text: &[u8], start: usize, quote: u8, escapes: usize) -> Span {
    let mut at = start;
    let limit = text.len().min(start + LONGEST);
    while at < limit && text[at] != b'\n' {
        if text[at] == quote {
            let slashes = text[start..at].iter().rev().take_while(|b| **b == b'\\').count();
            if slashes == escapes || slashes % 2 == 0 && escapes == 0 {
                return Span { start, end: at - escapes.min(slashes), quoted: true };
            }
        }
        at += 1;
    }
    Span { start, end: at, quoted: true }
}

fn bare(text: &[u8], start: usize, until: &[u8]) -> Span {
    let mut end = start;
    let limit = text.len().min(start + LONGEST_WORD);
    while end < limit && !text[end].is_ascii_whitespace() && !until.contains(&text[end]) {
        if text[end] == b'\\' && matches!(text.get(end + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'))
        {
            break;
        }
        end += 1;
    }
    while end > start && matches!(text[end - 1], b',' | b';' | b'.' | b':') {
        end -= 1;
    }
    // The beginning of a key, which somebody left out: `sk_live_...`.
    if end > start && b"_-".contains(&text[end - 1]) && text[end..].starts_with(b"...") {
        end += 3;
    }
    Span { start, end, quoted: false }
}

/// Skips the scheme of an authorization: `Bearer …`, `Basic …`.
fn skip_scheme(text: &[u8], start: usize, end: usize) -> usize {
    const SCHEMES: [&[u8]; 8] =
        [b"bearer ", b"basic ", b"token ", b"apikey ", b"digest ", b"key ", b"ssws ", b"base64:"];
    let value = &text[start..end];
    SCHEMES
        .iter()
        .find(|scheme| value.len() > scheme.len() && value[..scheme.len()].eq_ignore_ascii_case(scheme))
        .map_or(start, |scheme| start + scheme.len())
}
