//! Reads one open tag: its attributes, where a quoted value ends, and where the tag ends.

use super::lex::{blank_end, is_name, tool_tag_at};
use super::warning::WarningKind;

/// One attribute as written. An empty name is a value that stands alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// Absent for a flag.
    pub(super) value: Option<String>,
    pub(super) at: usize,
}

/// How an open tag ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With `>`.
    Open,
    /// With `/>`.
    SelfClosed,
    /// Another tag began before the `>`.
    Missing,
    /// The output ended after a whole attribute.
    Eof,
    /// The output ended inside a value.
    EofInValue,
}

/// An open tag after its name.
#[derive(Debug)]
pub(super) struct OpenTag {
    pub(super) attributes: Vec<Attribute>,
    pub(super) ending: Ending,
    pub(super) end: usize,
    pub(super) faults: Vec<(WarningKind, usize)>,
}

/// Reads the tag whose name ends at `from`.
pub(super) fn read_open(text: &str, from: usize) -> OpenTag {
    let mut reader = Reader { text, bytes: text.as_bytes(), pos: from, attributes: vec![], faults: vec![] };
    let ending = reader.read();
    OpenTag { attributes: reader.attributes, ending, end: reader.pos, faults: reader.faults }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    attributes: Vec<Attribute>,
    faults: Vec<(WarningKind, usize)>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Ending {
        loop {
            self.skip_blank();
            let Some(&byte) = self.bytes.get(self.pos) else { return Ending::Eof };
            match byte {
                b'>' => {
                    self.pos += 1;
                    return Ending::Open;
                }
                b'/' if self.slash_ends() => return Ending::SelfClosed,
                b'<' => return Ending::Missing,
                b',' | b';' | b'=' | b'/' => self.pos += 1,
                _ => {
                    if self.attribute() {
                        return Ending::EofInValue;
                    }
                }
            }
        }
    }

    /// Steps over `/>`, also over `/` at the end of the output.
    fn slash_ends(&mut self) -> bool {
        let next = blank_end(self.bytes, self.pos + 1);
        match self.bytes.get(next) {
            Some(b'>') => self.pos = next + 1,
            None => {
                self.faults.push((WarningKind::UnclosedTag, self.pos));
                self.pos = next;
            }
            Some(_) => return false,
        }
        true
    }

    fn skip_blank(&mut self) {
        self.pos = blank_end(self.bytes, self.pos);
    }

    /// Reads one attribute; true when the output ended inside its value.
    fn attribute(&mut self) -> bool {
        let at = self.pos;
        if opening_quote(self.text, at).is_some() {
            self.faults.push((WarningKind::BareValue, at));
            return self.value(String::new(), at);
        }
        let name = self.word();
        let after = blank_end(self.bytes, self.pos);
        if self.bytes.get(after) == Some(&b'=') && is_name(name) {
            let name = name.to_ascii_lowercase();
            self.pos = blank_end(self.bytes, after + 1);
            return self.value(name, at);
        }
        let attribute = if is_name(name) {
            Attribute { name: name.to_ascii_lowercase(), value: None, at }
        } else {
            self.faults.push((WarningKind::BareValue, at));
            Attribute { name: String::new(), value: Some(decode_entities(name)), at }
        };
        self.attributes.push(attribute);
        false
    }

    /// The word at the current place: at least one character, up to a blank, `=`, quote or end.
    /// A word that cannot be a name is a value, so it may hold `=`.
    fn word(&mut self) -> &'a str {
        let from = self.pos;
        let mut pos = from;
        while let Some(&byte) = self.bytes.get(pos) {
            let name_so_far = || is_name(&self.text[from..pos]);
            match byte {
                b'>' | b'<' | b'"' | b'\'' => break,
                b'=' if pos > from && name_so_far() => break,
                b'/' if self.bytes.get(pos + 1) == Some(&b'>') => break,
                _ if byte.is_ascii_whitespace() => break,
                _ => pos += 1,
            }
        }
        self.pos = pos.max(from + 1);
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        &self.text[from..self.pos]
    }

    /// Reads the value at the current place; true when the output ended inside it.
    fn value(&mut self, name: String, at: usize) -> bool {
        let Some(quote) = opening_quote(self.text, self.pos) else {
            let value = unquoted(self.text, self.pos);
            self.pos += value.len();
            let ended = self.pos == self.bytes.len() && !value.is_empty();
            let (value, fault) = without_odd_quotes(value);
            self.faults.extend(fault.map(|kind| (kind, at)));
            self.attributes.push(Attribute { name, value: Some(decode_entities(value)), at });
            return ended;
        };
        if quote != "\"" && quote != "'" {
            self.faults.push((WarningKind::OddQuote, self.pos));
        }
        let Quoted { value, next, fault, ended } = quoted_value(self.text, self.pos + quote.len(), quote);
        self.faults.extend(fault.map(|kind| (kind, at)));
        self.attributes.push(Attribute { name, value: Some(decode_entities(value)), at });
        self.pos = next;
        ended
    }
}

/// The characters that open a quoted value here.
fn opening_quote(text: &str, at: usize) -> Option<&'static str> {
    let rest = &text[at..];
    ["\"", "'", "\\\"", "\\'", "“", "”", "‘", "’"].into_iter().find(|quote| rest.starts_with(quote))
}

/// An unquoted value: up to a blank, `>`, `/>` or the next tag.
fn unquoted(text: &str, from: usize) -> &str {
    let bytes = text.as_bytes();
    let end = (from..bytes.len()).find(|&pos| match bytes[pos] {
        b'>' | b'<' => true,
        b'/' => bytes.get(pos + 1) == Some(&b'>'),
        byte => byte.is_ascii_whitespace(),
    });
    &text[from..end.unwrap_or(bytes.len())]
}

/// An unquoted value without half a pair of quotes, and without the braces of JSX.
fn without_odd_quotes(value: &str) -> (&str, Option<WarningKind>) {
    if let Some(inner) = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return (inner.trim_matches(['"', '\'', '`']), Some(WarningKind::OddQuote));
    }
    match value.strip_suffix(['"', '\'']) {
        Some(inner) if !inner.contains(['"', '\'']) => (inner, Some(WarningKind::UnclosedQuote)),
        _ => (value, None),
    }
}

/// Decodes the five named entities and numeric ones; leaves everything else.
fn decode_entities(text: &str) -> String {
    let Some(first) = text.find('&') else { return text.to_owned() };
    let mut out = text[..first].to_owned();
    let mut rest = &text[first..];
    while let Some(c) = rest.chars().next() {
        let (decoded, length) = entity(rest).unwrap_or((c, c.len_utf8()));
        out.push(decoded);
        rest = &rest[length..];
    }
    out
}

/// The entity at the start of the text, with its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    let end = body.bytes().take(10).position(|b| b == b';')?;
    let name = &body[..end];
    let decoded = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let hex = digits.strip_prefix(['x', 'X']);
            let (digits, radix) = hex.map_or((digits, 10), |hex| (hex, 16));
            let decoded = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
            Some(decoded).filter(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r'))?
        }
    };
    Some((decoded, end + 2))
}

// Finds the end of a quoted attribute value, also of one that is quoted badly.

/// A value, and where the tag goes on.
struct Quoted<'a> {
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
fn quoted_value<'a>(text: &'a str, from: usize, quote: &str) -> Quoted<'a> {
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
