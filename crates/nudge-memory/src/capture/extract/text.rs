//! Prepares texts for storage: removes what must not be stored, and cuts them to length.

use std::borrow::Cow;

use nudge_core::frame;

use super::{key, private};

/// The limit for a name, such as that of a tool or a kind of agent.
pub(in crate::capture) const NAME_MOST: usize = 128;

/// Longer than any real id.
const ID_MOST: usize = 256;

/// If a cut would split a word of at most this length, the whole word is left out.
const WORD_MOST: usize = 256;

/// How far beyond a cut to look for credentials first: half a credential can no longer be
/// recognised. Signed tokens with many claims reach about two thousand characters, and a name may
/// precede them.
const MARGIN: usize = 4_096;

/// Text that was cut to size.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::capture) struct Kept {
    pub(in crate::capture) text: String,
    pub(in crate::capture) cut: bool,
}

/// The text without private spans, keys, NUL and anything Nudge injected.
pub(in crate::capture) fn clean(text: &str) -> Cow<'_, str> {
    let mut kept = Cow::Borrowed(text);
    for without in [no_nul, frame::strip, private::strip, key::strip] {
        if let Cow::Owned(text) = without(&kept) {
            kept = Cow::Owned(text);
        }
    }
    kept
}

fn no_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}

/// The beginning of a cleaned text.
pub(in crate::capture) fn head(text: &str, most: usize) -> Kept {
    let text = clean(text);
    let text = text.trim();
    match end_of(text, most) {
        None => Kept { text: text.to_owned(), cut: false },
        Some(end) => Kept { text: format!("{}…", before(text, end).trim_end()), cut: true },
    }
}

/// The beginning and the end of a cleaned text, if it is longer than both together.
pub(in crate::capture) fn head_and_tail(text: &str, head: usize, tail: usize) -> Kept {
    let text = clean(text);
    let text = text.trim();
    let Some(end) = end_of(text, head + tail).and_then(|_| end_of(text, head)) else {
        return Kept { text: text.to_owned(), cut: false };
    };
    let begin = begin_of(text, tail);
    Kept {
        text: format!("{}\n…\n{}", before(text, end).trim_end(), behind(text, begin).trim_start()),
        cut: true,
    }
}

/// The id itself, or its hash if it is implausibly long or looks like a credential.
pub(in crate::capture) fn id(given: &str) -> String {
    if given.len() <= ID_MOST && nudge_secrets::scan(given).is_empty() {
        given.replace('\0', "")
    } else {
        blake3::hash(given.as_bytes()).to_hex().to_string()
    }
}

/// The text before a cut. Credentials that the cut would split, or separate from their names, are
/// replaced.
fn before(text: &str, cut: usize) -> Cow<'_, str> {
    let (from, window) = around(text, cut);
    let mut found = nudge_secrets::scan(window);
    found.retain(|finding| from + finding.start < cut);
    let Some(last) = found.last() else { return Cow::Borrowed(&text[..cut]) };
    let end = cut.max(from + last.end);
    Cow::Owned(format!("{}{}", &text[..from], nudge_secrets::replace(&text[from..end], &found)))
}

/// The text after a cut, treated the same way.
fn behind(text: &str, cut: usize) -> Cow<'_, str> {
    let (from, window) = around(text, cut);
    let mut found = nudge_secrets::scan(window);
    found.retain(|finding| from + finding.end > cut);
    let Some(first) = found.first() else { return Cow::Borrowed(&text[cut..]) };
    let begin = cut.min(from + first.start);
    for finding in &mut found {
        finding.start -= begin - from;
        finding.end -= begin - from;
    }
    Cow::Owned(nudge_secrets::replace(&text[begin..], &found))
}

/// The text on both sides of a cut, and where that text begins.
fn around(text: &str, cut: usize) -> (usize, &str) {
    let from = text.floor_char_boundary(cut.saturating_sub(MARGIN));
    (from, &text[from..text.ceil_char_boundary(cut.saturating_add(MARGIN).min(text.len()))])
}

/// Where to end a text that is longer than `most` characters.
fn end_of(text: &str, most: usize) -> Option<usize> {
    let (end, next) = text.char_indices().nth(most)?;
    if is_word_boundary(next) {
        return Some(end);
    }
    let from = text.floor_char_boundary(end.saturating_sub(WORD_MOST));
    Some(text[from..end].rfind(is_word_boundary).map_or(end, |at| text.ceil_char_boundary(from + at + 1)))
}

/// Where the last `most` characters begin: at a word, unless the word is very long.
fn begin_of(text: &str, most: usize) -> usize {
    let Some((begin, _)) = most.checked_sub(1).and_then(|last| text.char_indices().rev().nth(last)) else {
        return text.len();
    };
    if text[..begin].chars().next_back().is_none_or(is_word_boundary) {
        return begin;
    }
    let upto = text.ceil_char_boundary((begin + WORD_MOST).min(text.len()));
    text[begin..upto].find(is_word_boundary).map_or(begin, |at| begin + at)
}

/// Whether a text can be cut at this character. Tokens are ASCII without whitespace; scripts that
/// use no spaces can be cut anywhere.
fn is_word_boundary(c: char) -> bool {
    c.is_whitespace() || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_and_long_ones_end_between_words() {
        assert_eq!(head(" abc\0d ", 10), Kept { text: "abcd".into(), cut: false });
        assert_eq!(head("ab cd ef", 4), Kept { text: "ab…".into(), cut: true });
        assert_eq!(head("ab cd ef", 5), Kept { text: "ab cd…".into(), cut: true });
        assert_eq!(head("äöüß", 2), Kept { text: "äö…".into(), cut: true });
        assert_eq!(head(&"x".repeat(1000), 500).text.chars().count(), 501);
    }

    #[test]
    fn the_end_counts_more_than_the_middle() {
        let text = format!("first {} last words", "middle ".repeat(100));
        let kept = head_and_tail(&text, 8, 12);
        assert_eq!(kept, Kept { text: "first\n…\nlast words".into(), cut: true });
        assert_eq!(head_and_tail("short", 8, 12).text, "short");
    }

    #[test]
    fn keys_are_gone_before_anything_is_cut() {
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----", "MIIEvQ\n".repeat(400));
        let kept = head_and_tail(&format!("before {key} after"), 10, 200);
        assert_eq!(kept.text, "before [REDACTED] after");
        assert_eq!(head(&key[..1000], 20).text, "[REDACTED]");
    }

    #[test]
    fn nothing_that_a_cut_goes_through_is_left_in_halves() {
        let text = format!("{} ghp_{} {}", "a ".repeat(247), "k".repeat(36), "b ".repeat(2000));
        assert!(!head(&text, 500).text.contains("ghp_"));
        assert!(!head_and_tail(&text, 500, 1500).text.contains("ghp_"));
        let text = format!("{} ghp_{} {}", "a ".repeat(2000), "k".repeat(36), "b ".repeat(740));
        assert!(!head_and_tail(&text, 500, 1500).text.contains('k'));
        let long = format!("token=eyJ{} {}", "hbGciOiJ9".repeat(150), "b ".repeat(2000));
        assert!(!head(&long, 500).text.contains("hbGciOiJ9"));
    }

    #[test]
    fn the_end_of_one_long_word_is_kept() {
        let said = format!("Exit code 2\n{}TAILEND", "E".repeat(9_000));
        assert!(head_and_tail(&said, 500, 1500).text.ends_with("EEETAILEND"));
    }
}
