//! Regular expressions in linear time, with bounds on their compiled size.

use regex::{Captures, Regex, RegexBuilder};

use super::error::PatternError;

/// The largest compiled program and the largest lazy automaton, in bytes.
const MAX_SIZE: usize = 2 << 20;

/// The deepest nesting of groups.
const MAX_NESTING: u32 = 64;

/// A regular expression, once for a search and once for a whole text.
#[derive(Clone, Debug)]
pub(super) struct Regular {
    source: String,
    flags: String,
    find: Regex,
    whole: Regex,
}

/// Splits `/find/flags`. A slash inside must be escaped or stand in a class, so that `/usr/lib/` is
/// a path.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_prefix('/')?;
    let end = unescaped(body, '/')?;
    let (find, flags) = (&body[..end], &body[end + 1..]);
    (!find.is_empty() && is_flags(flags, "gimsuy")).then_some((find, flags))
}

/// Whether each character is one of `allowed` and occurs once.
fn is_flags(flags: &str, allowed: &str) -> bool {
    flags.char_indices().all(|(at, c)| allowed.contains(c) && !flags[..at].contains(c))
}

/// The first `wanted` that is neither escaped nor inside a class.
fn unescaped(text: &str, wanted: char) -> Option<usize> {
    let (mut is_escaped, mut in_class) = (false, false);
    for (at, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
            continue;
        }
        match c {
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            _ if c == wanted && !in_class => return Some(at),
            _ => {}
        }
    }
    None
}

impl Regular {
    /// Compiles `/find/flags`.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let (find, flags) =
            split(text).ok_or_else(|| PatternError::invalid("regex", text, "no closing `/`"))?;
        Self::compile(find, flags)
    }

    /// Compiles an expression; the flags `g`, `u` and `y` change nothing here.
    fn compile(find: &str, flags: &str) -> Result<Self, PatternError> {
        Ok(Self {
            source: find.to_owned(),
            flags: flags.to_owned(),
            find: build(find, flags)?,
            whole: build(&format!(r"\A(?:{find})\z"), flags)?,
        })
    }

    /// Whether the expression fits the whole text.
    pub(super) fn fits(&self, whole: &str) -> bool {
        self.whole.is_match(whole)
    }

    /// Whether the expression is found somewhere.
    pub(super) fn is_found(&self, text: &str) -> bool {
        self.find.is_match(text)
    }

    /// The expression that searches.
    pub(super) fn find(&self) -> &Regex {
        &self.find
    }

    /// The letters that every whole match begins with: plain characters before the first operator.
    pub(super) fn prefix(&self) -> String {
        let mut prefix = String::new();
        if self.flags.contains('i') || self.source.contains('|') || self.source.contains("(?") {
            return prefix;
        }
        let mut chars = self.source.trim_start_matches('^').chars().peekable();
        while let Some(c) = chars.next() {
            let plain = match c {
                '\\' => chars.next_if(|c| c.is_ascii_punctuation() && !matches!(c, '<' | '>')),
                _ if is_plain(c) => Some(c),
                _ => None,
            };
            let Some(plain) = plain else { break };
            if chars.peek().is_some_and(|c| matches!(c, '*' | '?' | '{')) {
                break;
            }
            prefix.push(plain);
        }
        prefix
    }
}

/// Whether a character stands for itself in an expression.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | ':' | '_' | '-' | ' ' | '@' | '%' | ',' | '=' | '~' | '!')
}

fn build(find: &str, flags: &str) -> Result<Regex, PatternError> {
    RegexBuilder::new(find)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(MAX_SIZE)
        .dfa_size_limit(MAX_SIZE)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| explain(find, &error))
}

/// Says what is wrong, and names what a linear matcher cannot offer.
fn explain(find: &str, error: &regex::Error) -> PatternError {
    if matches!(error, regex::Error::CompiledTooBig(_)) {
        return PatternError::too_costly("regex", format!("it compiles to more than {MAX_SIZE} bytes"));
    }
    let message = error.to_string();
    if message.contains("look-around") {
        PatternError::Unsupported { what: "lookaround in a regex" }
    } else if message.contains("backreference") {
        PatternError::Unsupported { what: "a backreference in a regex" }
    } else {
        let why = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
        PatternError::invalid("regex", find, why)
    }
}

// `s/find/replace/flags`: a regular expression with what takes its place.

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
pub(super) fn split_sed(text: &str) -> Option<Split<'_>> {
    leading(text).filter(|(_, length)| *length == text.len()).map(|(split_sed, _)| split_sed)
}

/// The expression that begins a text, and its length.
pub(super) fn leading(text: &str) -> Option<(Split<'_>, usize)> {
    let rest = text.strip_prefix('s')?;
    let delimiter = rest.chars().next().filter(|c| is_delimiter(*c))?;
    let rest = &rest[1..];
    let first = unescaped_delimiter(rest, delimiter)?;
    let (find, rest) = (&rest[..first], &rest[first + 1..]);
    let second = unescaped_delimiter(rest, delimiter)?;
    let (replace, rest) = (&rest[..second], &rest[second + 1..]);
    let flags = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
    let length = text.len() - rest.len() + flags.len();
    (!find.is_empty() && is_flags(flags, "gims"))
        .then_some((Split { delimiter, find, replace, flags }, length))
}

fn is_delimiter(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '\\' | '*' | '?' | '[' | ']' | '{' | '}' | '.' | '-' | '_')
}

fn unescaped_delimiter(text: &str, wanted: char) -> Option<usize> {
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
            split_sed(text).ok_or_else(|| PatternError::invalid("sed", text, "it needs three delimiters"))?;
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
