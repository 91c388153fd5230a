//! `s/find/replace/flags`: a regular expression with what takes its place.

use regex::Captures;

use super::error::PatternError;
use super::regular::{self, Regular};

/// The largest text that a substitution may produce.
const MAX_OUTPUT: usize = 64 << 20;

/// A substitution.
#[derive(Clone, Debug)]
pub(super) struct Sed {
    /// What is searched.
    pub(super) find: Regular,
    parts: Vec<Part>,
    is_global: bool,
}

/// A piece of the replacement.
#[derive(Clone, Debug)]
enum Part {
    Text(String),
    /// `&` is group 0, `\1` is group 1.
    Group(usize),
}

/// The three parts of `s/find/replace/flags`.
pub(super) struct Split<'a> {
    pub(super) delimiter: char,
    pub(super) find: &'a str,
    pub(super) replace: &'a str,
    pub(super) flags: &'a str,
}

/// Splits an expression; `None` when the text does not have this shape.
///
/// The delimiter is a punctuation mark that neither names nor globs use: `s-a-b-` and `s.a.b.` are
/// names.
pub(super) fn split(text: &str) -> Option<Split<'_>> {
    leading(text).filter(|(_, length)| *length == text.len()).map(|(split, _)| split)
}

/// The expression that begins a text, and its length.
pub(super) fn leading(text: &str) -> Option<(Split<'_>, usize)> {
    let rest = text.strip_prefix('s')?;
    let delimiter = rest.chars().next().filter(|c| is_delimiter(*c))?;
    let rest = &rest[1..];
    let first = unescaped(rest, delimiter)?;
    let (find, rest) = (&rest[..first], &rest[first + 1..]);
    let second = unescaped(rest, delimiter)?;
    let (replace, rest) = (&rest[..second], &rest[second + 1..]);
    let flags = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
    let length = text.len() - rest.len() + flags.len();
    (!find.is_empty() && regular::is_flags(flags, "gims"))
        .then_some((Split { delimiter, find, replace, flags }, length))
}

fn is_delimiter(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '\\' | '*' | '?' | '[' | ']' | '{' | '}' | '.' | '-' | '_')
}

fn unescaped(text: &str, wanted: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == wanted {
            return Some(at);
        }
    }
    None
}

impl Sed {
    /// Compiles an expression.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let parts =
            split(text).ok_or_else(|| PatternError::invalid("sed", text, "it needs three delimiters"))?;
        let find = if parts.delimiter == '/' {
            parts.find.to_owned()
        } else {
            unescape_delimiter(parts.find, parts.delimiter)
        };
        Ok(Self {
            find: Regular::compile(&find, parts.flags)?,
            parts: replacement(parts.replace),
            is_global: parts.flags.contains('g'),
        })
    }

    /// The text with the first match replaced, or all of them with the flag `g`.
    pub(super) fn substitute(&self, text: &str) -> Result<String, PatternError> {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for found in self.find.find().captures_iter(text) {
            let whole = found.get_match();
            out.push_str(&text[from..whole.start()]);
            self.expand(&found, &mut out);
            if out.len() > MAX_OUTPUT {
                return Err(PatternError::too_costly(
                    "sed",
                    format!("its result exceeds {MAX_OUTPUT} bytes"),
                ));
            }
            from = whole.end();
            if !self.is_global {
                break;
            }
        }
        out.push_str(&text[from..]);
        Ok(out)
    }

    fn expand(&self, found: &Captures<'_>, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Group(at) => out.push_str(found.get(*at).map_or("", |group| group.as_str())),
            }
        }
    }
}

/// A delimiter that was escaped stands for itself, also when it is an operator of expressions.
fn unescape_delimiter(find: &str, delimiter: char) -> String {
    let escaped = format!("\\{delimiter}");
    let plain = regex::escape(&delimiter.to_string());
    find.replace(&escaped, &plain)
}

/// Reads `&`, `\1`, `\n`, `\t` and escaped characters.
fn replacement(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let group = match c {
            '&' => Some(0),
            '\\' => match chars.next() {
                Some(digit @ '0'..='9') => Some(digit as usize - '0' as usize),
                Some('n') => push(&mut plain, '\n'),
                Some('t') => push(&mut plain, '\t'),
                Some(other) => push(&mut plain, other),
                None => push(&mut plain, '\\'),
            },
            other => push(&mut plain, other),
        };
        if let Some(group) = group {
            parts.push(Part::Text(std::mem::take(&mut plain)));
            parts.push(Part::Group(group));
        }
    }
    parts.push(Part::Text(plain));
    parts
}

fn push(plain: &mut String, c: char) -> Option<usize> {
    plain.push(c);
    None
}
