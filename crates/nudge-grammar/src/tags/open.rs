//! Reads one open tag: its attributes, and where it ends.

use super::quote::{Quoted, quoted_value};
use super::start::{blank_end, is_name};
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
pub(super) fn decode_entities(text: &str) -> String {
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
