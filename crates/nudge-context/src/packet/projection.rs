//! The one line that stands for an entry while its body is hidden.

use super::entry::PacketEntry;
use crate::clean::clean;

/// The most characters of a description.
const SUMMARY: usize = 80;

/// The most characters of a line that is made from the body.
const PREVIEW: usize = 500;

/// How many lines of a file are shown.
const FILE_LINES: usize = 8;

/// The line of an entry: its description, or what its scheme makes of the body.
pub(super) fn projection(entry: &PacketEntry) -> String {
    let described = entry.summary.as_deref().map(|summary| clean(summary, SUMMARY));
    match described {
        Some(summary) if !summary.is_empty() => summary,
        _ => of_scheme(&entry.scheme)(&entry.body),
    }
}

/// How a scheme condenses a body.
fn of_scheme(scheme: &str) -> fn(&str) -> String {
    match scheme {
        "" | "file" => first_lines,
        _ => truncated,
    }
}

/// The beginning of a text.
fn truncated(body: &str) -> String {
    clean(body, PREVIEW)
}

/// The first lines of a file that have any letters: they name what is in it.
fn first_lines(body: &str) -> String {
    let says_something = |line: &&str| line.contains(char::is_alphanumeric);
    let lines: Vec<&str> = body.lines().filter(says_something).take(FILE_LINES).collect();
    clean(&lines.join(" / "), PREVIEW)
}
