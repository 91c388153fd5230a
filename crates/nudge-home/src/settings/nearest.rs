//! The name somebody probably meant.

use nudge_core::text::first_chars;

/// Below this likeness (Jaro–Winkler, 0 to 1) a suggestion is a guess and not made.
const LIKELY: f64 = 0.8;

/// The name most like `written`, if any is like it at all.
pub(super) fn nearest(written: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let likeness = names.map(|name| (strsim::jaro_winkler(written, name), name));
    likeness.filter(|(alike, _)| *alike >= LIKELY).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// Says that there is no such name, and which one was probably meant.
pub(super) fn unknown(what: &str, written: &str, names: impl Iterator<Item = &'static str>) -> String {
    let shown = first_chars(written, 60).escape_debug();
    match nearest(written, names) {
        Some(name) => format!("there is no {what} `{shown}`; did you mean `{name}`?"),
        None => format!("there is no {what} `{shown}`"),
    }
}
