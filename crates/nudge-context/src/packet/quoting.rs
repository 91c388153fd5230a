//! Keeps every text inside its entry: no body, path or attribute can close or open what is ours.

use nudge_core::text::steers_terminal;

use crate::clean::{clean_text, defused, element_name, is_angle, quoted};

/// The names of the packet's blocks and of the schemes. No body can open or close an element of
/// these names.
const OUR_NAMES: [&str; 24] = [
    "prompt",
    "said",
    "summary",
    "visible",
    "log",
    "unknowns",
    "instructions",
    "budget",
    "file",
    "known",
    "skill",
    "http",
    "https",
    "sh",
    "env",
    "mcp",
    "unknown",
    "update",
    "error",
    "tool",
    "think",
    "run",
    "hint",
    "entry",
];

/// The most characters of a path in a tag.
const MAX_PATH_CHARS: usize = 1_000;

/// The most characters of an attribute's value.
const MAX_VALUE_CHARS: usize = 200;

/// The tag of a scheme: `file` if there is none, `entry` if the scheme cannot name an element.
pub(super) fn tag(scheme: &str) -> &str {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match scheme {
        "" => "file",
        scheme if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_of_name) => {
            scheme
        }
        _ => "entry",
    }
}

/// A path for a tag and for the markers around a body: one line, no quotation marks, and no colons
/// that could be taken for those of a marker.
pub(super) fn path(path: &str) -> String {
    let mut out = String::new();
    for c in quoted(path, MAX_PATH_CHARS).chars() {
        let is_third = out.chars().rev().take(2).filter(|c| is_colon(*c)).count() == 2;
        if !(is_colon(c) && is_third) {
            out.push(c);
        }
    }
    let out = out.trim_start_matches(|c| is_colon(c) || c == ' ');
    if out.is_empty() { "unnamed".to_owned() } else { out.to_owned() }
}

/// The value of an attribute.
pub(super) fn value(value: &str) -> String {
    quoted(value, MAX_VALUE_CHARS)
}

/// A body between the markers of its path.
///
/// What the user typed keeps its tags and its emoji; text of any other origin is data, and opens
/// nothing that an agent could obey. Neither can leave its entry.
pub(super) fn body(text: &str, by_user: bool, tag: &str, path: &str) -> String {
    let text = if by_user { typed(text) } else { clean_text(text) };
    let text = defused(&text, |_, after| opens_marker(after) || opens_ours(after, tag));
    without_marker(&text, path)
}

/// What the user typed, without what nobody can see.
fn typed(text: &str) -> String {
    let breaks = |c| if matches!(c, '\u{2028}' | '\u{2029}') { '\n' } else { c };
    text.chars().map(breaks).filter(|c| !steers_terminal(*c)).collect()
}

/// Whether an angle bracket before this text begins an element of ours.
fn opens_ours(after: &str, tag: &str) -> bool {
    let name = element_name(after).trim_end_matches([':', '-', '_']);
    name.eq_ignore_ascii_case(tag) || OUR_NAMES.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

/// Whether an angle bracket before this text belongs to the opening marker of a body.
fn opens_marker(after: &str) -> bool {
    let after = after.trim_start_matches(is_angle);
    after.chars().take_while(|c| is_colon(*c)).count() >= 3
}

/// Takes the three colons apart where they would form the closing marker of this path.
fn without_marker(text: &str, path: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_colon) {
        let colons: &str = &rest[at..];
        let after = colons.trim_start_matches(is_colon);
        let run = &colons[..colons.len() - after.len()];
        out.push_str(&rest[..at]);
        let is_marker = run.chars().count() >= 3 && after.starts_with(path);
        if is_marker {
            out.push_str(&run.chars().map(String::from).collect::<Vec<_>>().join(" "));
        } else {
            out.push_str(run);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Colons and characters that look like them.
const fn is_colon(c: char) -> bool {
    matches!(c, ':' | '：' | '﹕' | '︓' | '\u{2236}' | '\u{a789}' | '\u{2d0}')
}
