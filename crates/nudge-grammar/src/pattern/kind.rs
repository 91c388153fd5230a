//! The six kinds, and how the shape of a text tells them apart.

use super::{error, glob, regular};

/// The axes of XPath, as they are written before `::`.
const AXES: &[&str] = &[
    "ancestor",
    "ancestor-or-self",
    "attribute",
    "child",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "namespace",
    "parent",
    "preceding",
    "preceding-sibling",
    "self",
];

nudge_core::named_enum! {
    /// What a pattern is.
    pub enum PatternKind {
        /// `s/find/replace/flags`.
        Sed => "sed",
        /// `/find/flags`.
        Regex => "regex",
        /// A query over JSON.
        JsonPath => "jsonpath",
        /// A query over XML.
        XPath => "xpath",
        /// A path with wildcards.
        Glob => "glob",
        /// The text itself.
        Literal => "literal",
    }
}

impl PatternKind {
    /// The kind of a text, by its shape alone.
    pub(super) fn of(text: &str) -> Self {
        if regular::split_sed(text).is_some() {
            Self::Sed
        } else if regular::split(text).is_some() {
            Self::Regex
        } else if text == "$" || text.starts_with("$.") || text.starts_with("$[") {
            Self::JsonPath
        } else if is_xpath(text) {
            Self::XPath
        } else if glob::is_glob(text) && !is_address_with_query(text) {
            Self::Glob
        } else {
            Self::Literal
        }
    }
}

fn is_xpath(text: &str) -> bool {
    starts_with_descendant(text) || has_axis(text) || has_leading_predicate(text)
}

/// `//x`, `//*`, `//@x`, `//.`; not `// a comment`.
fn starts_with_descendant(text: &str) -> bool {
    let mut rest = text.trim_start_matches('(').chars();
    rest.next() == Some('/')
        && rest.next() == Some('/')
        && rest.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '*' | '@' | '.'))
}

/// An axis such as `child::` at the start or after `/`, `[`, `(` or a space.
fn has_axis(text: &str) -> bool {
    !text.contains("://")
        && text.match_indices("::").any(|(at, _)| {
            let before = &text[..at];
            let from = before
                .rfind(|c: char| !(c.is_ascii_lowercase() || c == '-'))
                .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
            let opens = before[..from].chars().next_back();
            AXES.contains(&&before[from..]) && opens.is_none_or(|c| matches!(c, '/' | '[' | '(' | ' ' | '|'))
        })
}

/// `/a/b[…]` with a predicate in the brackets, not a class such as `[a-z]`.
fn has_leading_predicate(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '*' | '@');
    let Some(open) = rest.find(|c| !is_name(c)) else { return false };
    if open == 0 || !rest[open..].starts_with('[') || rest[..open].ends_with('/') {
        return false;
    }
    let inner = &rest[open + 1..];
    error::closing(inner, '[', ']').is_some_and(|end| !is_class(&inner[..end]))
}

/// Whether the text between brackets is a set of characters: `!a`, `^a`, or a range such as `0-9`.
fn is_class(inner: &str) -> bool {
    let chars: Vec<char> = inner.chars().collect();
    matches!(chars.first(), None | Some('!' | '^'))
        || (chars.len() >= 3
            && chars.len() <= 12
            && chars.windows(3).any(|w| {
                w[1] == '-' && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric() && w[0] < w[2]
            })
            && !inner.contains(['@', '=', '(', '/']))
}

/// `scheme://…?key=…` whose only wildcard is the question mark before the query.
fn is_address_with_query(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = !scheme.is_empty()
        && scheme
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    let Some((path, query)) = rest.split_once('?') else { return false };
    let Some((key, value)) = query.split_once('=') else { return false };
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_scheme && is_key && !glob::is_glob(path) && !glob::is_glob(value)
}
