//! The closest match for a mistyped name.

use nudge_core::text::first_chars;

/// Below this similarity (Jaro–Winkler, 0 to 1) there is no suggestion: it would be a guess.
const LIKELY: f64 = 0.8;

/// The name most similar to `written`, if any is similar enough.
pub(super) fn nearest(written: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let likeness = names.map(|name| (strsim::jaro_winkler(written, name), name));
    likeness.filter(|(alike, _)| *alike >= LIKELY).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// The message that a name is unknown, with the closest match.
pub(super) fn unknown(what: &str, written: &str, names: impl Iterator<Item = &'static str>) -> String {
    let shown = first_chars(written, 60).escape_debug();
    match nearest(written, names) {
        Some(name) => format!("there is no {what} `{shown}`; did you mean `{name}`?"),
        None => format!("there is no {what} `{shown}`"),
    }
}
