//! Text for display: cut, put on one line, fitted into columns, and checked for dangerous
//! characters.
//!
//! Every crate uses these, so that text is cut the same way everywhere. Functions that look alike
//! are side by side here, and each says why the other would not do.

mod danger;
mod gist;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_width::UnicodeWidthChar;

use crate::time::Timestamp;

pub use danger::{is_hidden, steers_terminal};
pub use gist::gist;

// The beginning of a text, in characters or in bytes; never half a character.

/// The first `most` characters of a text, or all of it.
pub fn first_chars(text: &str, most: usize) -> &str {
    cut_to_chars(text, most).unwrap_or(text)
}

/// The first `most` characters of a longer text; `None` if nothing needs to be cut.
///
/// For callers that mark a cut or count the rest; others use [`first_chars`].
pub fn cut_to_chars(text: &str, most: usize) -> Option<&str> {
    text.char_indices().nth(most).map(|(end, _)| &text[..end])
}

/// As much of the beginning of a text as fits into `most` bytes.
///
/// For limits on work and space. For limits that users see, use [`first_chars`].
pub fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The first characters of a text; control characters are dropped and not counted.
///
/// For a caller's word that a message repeats: it stays short and on its line.
pub fn without_controls(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

// Multi-line text put on one line, or wrapped to a width.

/// Marks a cut.
const CUT_MARK: char = '…';

/// The text on one line: line breaks and runs of blanks become one blank.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text on one line of at most `most` characters; a longer text is cut and ends in `…`.
///
/// For text that is stored or sent, where every character counts as one, whatever its width. The
/// mark is exactly where the cut is, even after a blank, as in stored summaries.
pub fn one_line_of_chars(text: &str, most: usize) -> String {
    let line = one_line(text);
    if cut_to_chars(&line, most).is_none() {
        return line;
    }
    let mut cut: String = line.chars().take(most.saturating_sub(1)).collect();
    cut.push(CUT_MARK);
    cut
}

/// The text on one line of at most `columns` columns; a longer text is cut and ends in `…`.
///
/// For a terminal, where a character may take two columns or none. There is no blank before the
/// mark.
pub fn one_line_of_columns(text: &str, columns: usize) -> String {
    let line = one_line(text);
    if width(&line) <= columns {
        return line;
    }
    let mut out = String::new();
    let mut used = 1; // the mark
    for c in line.chars() {
        used += char_width(c);
        if used > columns {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push(CUT_MARK);
    out
}

/// The lines of a paragraph, wrapped between words to at most `columns` where words allow it.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

// The width of a text in terminal columns.

/// The columns of a text: the sum over its characters.
///
/// Unicode gives some sequences, such as joined emoji, a width of their own. It is ignored:
/// terminals do not agree on it, and text is cut between characters, so widths must add up.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The columns of a character. A control character counts as one; pages spell it out.
fn char_width(c: char) -> usize {
    c.width().unwrap_or(1)
}

// Short names for paths, made from any text.

/// The longest slug, in characters.
pub const MAX_SLUG_CHARS: usize = 80;

const ENCODED_IN_SLUG: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// A name for use in a path: words joined by `_`, everything else URI-encoded, at most 80
/// characters. A name that had to be cut ends in a number that depends on the whole text.
pub fn slug(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control() || c == '/').collect();
    let joined = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    let whole = utf8_percent_encode(&joined, ENCODED_IN_SLUG).to_string();
    if whole.len() <= MAX_SLUG_CHARS {
        return if whole.is_empty() { "empty".to_owned() } else { whole };
    }
    let tail = format!("_{:08x}", checksum(text));
    let mut end = MAX_SLUG_CHARS - tail.len();
    // Never inside an encoded byte.
    if let Some(at) = whole[end.saturating_sub(2)..end].find('%') {
        end = end - 2 + at;
    }
    format!("{}{tail}", &whole[..end])
}

/// FNV-1a, which never changes.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

// How long ago something was, in a few characters.

const MINUTE: u64 = 60;

const HOUR: u64 = 60 * MINUTE;

const DAY: u64 = 24 * HOUR;

const WEEK: u64 = 7 * DAY;

/// `now`, `5m ago`, `3h ago`, `12d ago`. A time in the future is `now`.
///
/// For agents: they compare ages and do not know today's date, so an old age stays in days.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).as_secs();
    match seconds {
        0..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        _ => format!("{}d ago", seconds / DAY),
    }
}

/// Like [`age`] within a week; after that the date, such as `2026-11-07`.
///
/// For people: they read a date more easily than a count of days.
pub fn age_or_day(at: Timestamp, now: Timestamp) -> String {
    /// The length of a date within a timestamp, in characters.
    const DATE: usize = 10;
    if now.since(at).as_secs() < WEEK {
        return age(at, now);
    }
    first_chars(&at.to_string(), DATE).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_never_halved() {
        assert_eq!([0, 1, 2, 3, 9].map(|most| first_chars("äöü", most)), ["", "ä", "äö", "äöü", "äöü"]);
        assert_eq!([2, 3].map(|most| cut_to_chars("äöü", most)), [Some("äö"), None]);
        assert_eq!(cut_to_chars("", 0), None);
        assert_eq!([0, 1, 2, 3, 9].map(|most| first_bytes("äöü", most)), ["", "", "ä", "ä", "äöü"]);
    }

    #[test]
    fn control_characters_do_not_count() {
        assert_eq!(without_controls("a\u{1b}[31m\nb\u{9b}c", 6), "a[31mb");
        assert_eq!(without_controls("\r\n", 6), "");
    }

    #[test]
    fn long_text_is_cut_with_a_mark() {
        assert_eq!(one_line_of_columns("docker compose build router", 16), "docker compose…");
        assert_eq!(one_line_of_columns("docker\n  compose", 16), "docker compose");
        assert_eq!(one_line_of_columns("日本語日本語", 7), "日本語…");
    }

    #[test]
    fn characters_count_alike_and_the_mark_stands_at_the_cut() {
        assert_eq!(one_line_of_chars("docker compose build router", 16), "docker compose …");
        assert_eq!(one_line_of_chars("docker\n  compose", 14), "docker compose");
        assert_eq!(one_line_of_chars("日本語日本語", 5), "日本語日…");
        assert_eq!(one_line_of_chars(" ", 1), "");
    }

    #[test]
    fn paragraphs_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        for (text, columns) in [
            ("abc …", 5),
            ("größe", 5),
            ("gro\u{308}ße", 5),
            ("日本語", 6),
            ("ｶﾞ", 2),
            ("👩", 2),
            ("⌚", 2),
            ("\u{1b}", 1),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
        assert!((0..0x80_u8).all(|byte| char_width(byte.into()) == 1));
    }

    #[test]
    fn a_slug_is_short_and_safe() {
        assert_eq!(slug("fix the  router"), "fix_the_router");
        assert_eq!(slug("known://a/b?c"), "known%3A_a_b%3Fc");
        assert_eq!(slug(" \n "), "empty");
        let long = "ü".repeat(90);
        assert!(slug(&long).len() <= MAX_SLUG_CHARS && slug(&long).is_ascii());
        assert_ne!(slug(&long), slug(&"ü".repeat(91)));
        for cut in 0..12 {
            let name = slug(&format!("{}{}", "a".repeat(60 + cut), "é".repeat(20)));
            assert!(name.len() <= MAX_SLUG_CHARS, "{name}");
            let encoded = percent_encoding::percent_decode_str(&name).decode_utf8_lossy().into_owned();
            assert!(!encoded.contains('%'), "{name}");
        }
    }

    const NOW: i64 = 1_794_723_027;

    fn ago(seconds: i64) -> (Timestamp, Timestamp) {
        (Timestamp::from_millis((NOW - seconds) * 1_000), Timestamp::from_millis(NOW * 1_000))
    }

    #[test]
    fn ages_are_reported_in_the_largest_unit_that_fits() {
        let shown = [-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 86_400 * 400].map(ago);
        assert_eq!(
            shown.map(|(at, now)| age(at, now)),
            ["now", "now", "now", "1m ago", "59m ago", "1h ago", "23h ago", "1d ago", "400d ago"]
        );
    }

    #[test]
    fn what_is_older_than_a_week_has_a_day() {
        let shown = [-5, 59, 120, 7_200, 3 * 86_400, 7 * 86_400 - 1, 7 * 86_400, 8 * 86_400].map(ago);
        assert_eq!(
            shown.map(|(at, now)| age_or_day(at, now)),
            ["now", "now", "2m ago", "2h ago", "3d ago", "6d ago", "2026-11-08", "2026-11-07"]
        );
    }
}
