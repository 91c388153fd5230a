//! Globs: `*` and `?` stay within a segment of a path, `**` crosses `/`, `!(…)` is anything else.
//!
//! A glob without `!(…)` becomes a regular expression and takes linear time. A glob with it is
//! matched by sets of positions, because no regular expression here can say "not".

use regex::{Regex, RegexBuilder};

use super::error::PatternError;
use super::extglob::{self, Budget};
use super::wild::{self, Class, Wild};

/// The largest compiled program, in bytes.
const SIZE_LIMIT: usize = 2 << 20;

/// A compiled glob.
#[derive(Clone, Debug)]
pub(super) enum Glob {
    /// Without negation.
    Plain(Regex),
    /// With `!(…)`.
    Negating(Vec<Wild>),
}

/// Whether the text has an unescaped wildcard.
pub(super) fn is_glob(text: &str) -> bool {
    !wild::parse(text).is_ok_and(|parts| parts.iter().all(|part| matches!(part, Wild::Text(_))))
}

/// The text that a literal stands for: escaped wildcards without their backslash.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('*' | '?' | '[' | ']' | '{' | '}')) => {}
            _ => plain.push(c),
        }
    }
    plain
}

/// The characters before the first wildcard.
pub(super) fn prefix(text: &str) -> String {
    match wild::parse(text).as_deref() {
        Ok([Wild::Text(plain), ..]) => plain.clone(),
        _ => String::new(),
    }
}

/// Whether the glob is a text and then `**`, so that it fits everything that begins with the text.
pub(super) fn is_prefix(text: &str) -> bool {
    matches!(wild::parse(text).as_deref(), Ok([Wild::Text(_), Wild::Deep]))
}

impl Glob {
    /// Compiles a glob.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let parts = wild::parse(text)?;
        if has_not(&parts) {
            return Ok(Self::Negating(parts));
        }
        let mut source = String::from(r"\A");
        write_all(&parts, &mut source);
        source.push_str(r"\z");
        RegexBuilder::new(&source)
            .dot_matches_new_line(true)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .build()
            .map(Self::Plain)
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => PatternError::too_costly("glob", "it compiles too large"),
                _ => PatternError::invalid("glob", text, "a set of characters is not in order"),
            })
    }

    /// Whether the glob fits the whole text.
    pub(super) fn fits(&self, whole: &str) -> Result<bool, PatternError> {
        match self {
            Self::Plain(regex) => Ok(regex.is_match(whole)),
            Self::Negating(parts) => extglob::fits(parts, whole, &mut Budget::full()),
        }
    }

    /// Whether the glob fits the whole text or one of its lines.
    pub(super) fn fits_whole_or_line(&self, text: &str) -> Result<bool, PatternError> {
        match self {
            Self::Plain(regex) => Ok(regex.is_match(text) || text.lines().any(|line| regex.is_match(line))),
            Self::Negating(parts) => {
                // One budget for all lines: many lines that are cheap alone add up.
                let mut budget = Budget::full();
                let mut fits = |text| extglob::fits(parts, text, &mut budget);
                if text.len() <= extglob::MAX_TEXT && fits(text)? {
                    return Ok(true);
                }
                for line in text.lines() {
                    if fits(line)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

fn has_not(parts: &[Wild]) -> bool {
    parts.iter().any(|part| match part {
        Wild::Not { .. } => true,
        Wild::Either(choices) => choices.iter().any(|choice| has_not(choice)),
        _ => false,
    })
}

fn write_all(parts: &[Wild], out: &mut String) {
    for part in parts {
        match part {
            Wild::Text(text) => out.push_str(&regex::escape(text)),
            Wild::One => out.push_str("[^/]"),
            Wild::Star => out.push_str("[^/]*"),
            Wild::Deep => out.push_str(".*"),
            Wild::Segments => out.push_str("(?:.*/)?"),
            Wild::Class(class) => write_class(class, out),
            Wild::Either(choices) => {
                out.push_str("(?:");
                for (at, choice) in choices.iter().enumerate() {
                    if at > 0 {
                        out.push('|');
                    }
                    write_all(choice, out);
                }
                out.push(')');
            }
            Wild::Not { .. } => {}
        }
    }
}

fn write_class(class: &Class, out: &mut String) {
    out.push_str(if class.is_negated { "[^/" } else { "[" });
    for (low, high) in &class.ranges {
        out.push_str(&regex::escape(&low.to_string()));
        out.push('-');
        out.push_str(&regex::escape(&high.to_string()));
    }
    out.push_str(if class.is_negated { "]" } else { "&&[^/]]" });
}
