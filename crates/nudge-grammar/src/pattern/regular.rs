//! Regular expressions in linear time, with bounds on their compiled size.

use regex::{Regex, RegexBuilder};

use super::error::PatternError;

/// The largest compiled program and the largest lazy automaton, in bytes.
const SIZE_LIMIT: usize = 2 << 20;

/// The deepest nesting of groups.
const NEST_LIMIT: u32 = 64;

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
pub(super) fn is_flags(flags: &str, allowed: &str) -> bool {
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
    pub(super) fn compile(find: &str, flags: &str) -> Result<Self, PatternError> {
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
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .nest_limit(NEST_LIMIT)
        .build()
        .map_err(|error| explain(find, &error))
}

/// Says what is wrong, and names what a linear matcher cannot offer.
fn explain(find: &str, error: &regex::Error) -> PatternError {
    if matches!(error, regex::Error::CompiledTooBig(_)) {
        return PatternError::too_costly("regex", format!("it compiles to more than {SIZE_LIMIT} bytes"));
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
