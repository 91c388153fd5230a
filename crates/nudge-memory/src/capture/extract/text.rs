//! Prepares texts for storage: removes what must not be stored, and cuts them to length.

use std::borrow::Cow;

use nudge_core::text::first_bytes;
use nudge_core::{ObservationKind, frame};
use serde_json::{Map, Value};

/// The limit for a name, such as that of a tool or a kind of agent.
pub(in crate::capture) const MAX_NAME_CHARS: usize = 128;

/// Longer than any real id.
const MAX_ID_BYTES: usize = 256;

/// For errors, more is kept of the end than of the beginning, because the end says more.
const RESPONSE_HEAD_CHARS: usize = 500;

const RESPONSE_TAIL_CHARS: usize = 1_500;

/// If a cut would split a word of at most this length, the whole word is left out.
const MAX_WORD_BYTES: usize = 256;

/// How far beyond a cut to look for credentials first: half a credential can no longer be
/// recognised. Signed tokens with many claims reach about two thousand characters, and a name may
/// precede them.
const SECRET_MARGIN: usize = 4_096;

/// Text that was cut to size.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::capture) struct CutText {
    pub(in crate::capture) text: String,
    pub(in crate::capture) cut: bool,
}

/// The text without private spans, keys, NUL and anything Nudge injected.
pub(in crate::capture) fn clean(text: &str) -> Cow<'_, str> {
    let mut kept = Cow::Borrowed(text);
    for without in [no_nul, frame::strip, without_private, without_keys] {
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
pub(in crate::capture) fn head(text: &str, most: usize) -> CutText {
    let text = clean(text);
    let text = text.trim();
    match end_of(text, most) {
        None => CutText { text: text.to_owned(), cut: false },
        Some(end) => CutText { text: format!("{}…", before(text, end).trim_end()), cut: true },
    }
}

/// The beginning and the end of a cleaned text, if it is longer than both together.
pub(in crate::capture) fn head_and_tail(text: &str, head: usize, tail: usize) -> CutText {
    let text = clean(text);
    let text = text.trim();
    let Some(end) = end_of(text, head + tail).and_then(|_| end_of(text, head)) else {
        return CutText { text: text.to_owned(), cut: false };
    };
    let begin = begin_of(text, tail);
    CutText {
        text: format!("{}\n…\n{}", before(text, end).trim_end(), behind(text, begin).trim_start()),
        cut: true,
    }
}

/// A failure message, shortened.
pub(in crate::capture) fn failure(said: &str) -> Option<String> {
    Some(head_and_tail(said, RESPONSE_HEAD_CHARS, RESPONSE_TAIL_CHARS).text).filter(|said| !said.is_empty())
}

/// The id itself, or its hash if it is implausibly long or looks like a credential.
pub(in crate::capture) fn id(given: &str) -> String {
    if given.len() <= MAX_ID_BYTES && nudge_secrets::scan(given).is_empty() {
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
    let from = text.floor_char_boundary(cut.saturating_sub(SECRET_MARGIN));
    (from, &text[from..text.ceil_char_boundary(cut.saturating_add(SECRET_MARGIN).min(text.len()))])
}

/// Where to end a text that is longer than `most` characters.
fn end_of(text: &str, most: usize) -> Option<usize> {
    let (end, next) = text.char_indices().nth(most)?;
    if is_word_boundary(next) {
        return Some(end);
    }
    let from = text.floor_char_boundary(end.saturating_sub(MAX_WORD_BYTES));
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
    let upto = text.ceil_char_boundary((begin + MAX_WORD_BYTES).min(text.len()));
    text[begin..upto].find(is_word_boundary).map_or(begin, |at| begin + at)
}

/// Whether a text can be cut at this character. Tokens are ASCII without whitespace; scripts that
/// use no spaces can be cut anywhere.
fn is_word_boundary(c: char) -> bool {
    c.is_whitespace() || !c.is_ascii()
}

// An action under construction: the parts that depend on the kind of tool.

/// Marks an action from which a credential was removed, with the same key as the store.
pub(super) const REDACTED_FACT: &str = "redacted";

/// The parts of an action that depend on the kind of tool.
pub(super) struct ActionParts {
    pub(super) kind: ObservationKind,
    pub(super) body: String,
    pub(super) metadata: Map<String, Value>,
}

impl ActionParts {
    /// `None` if no text is left.
    pub(super) fn new(kind: ObservationKind, said: &str, most: usize) -> Option<Self> {
        let body = head(said, most);
        let mut sketch = Self { kind, body: body.text, metadata: Map::new() };
        sketch.put("truncated", body.cut.then_some(true));
        (!sketch.body.is_empty()).then_some(sketch)
    }

    pub(super) fn put<T: Into<Value>>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.metadata.insert(key.to_owned(), value.into());
        }
    }

    /// Adds a text, cut to `most`; adds nothing if no text is left.
    pub(super) fn put_text(&mut self, key: &str, words: Option<&str>, most: usize) {
        let words = words.map(|words| head(words, most).text).filter(|words| !words.is_empty());
        self.put(key, words);
    }
}

// `<private>` spans: text the user does not want remembered.

const PRIVATE_TAG: &str = "private";

/// Whether a text contains private spans, or pieces of them.
pub(super) fn has_private(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| tag(&text[at + 1..]).is_some())
}

enum Tag {
    Open,
    /// The tag's length.
    Close(usize),
}

/// The text without its private spans. They may be nested; an unclosed span hides everything after
/// it.
pub(crate) fn without_private(text: &str) -> Cow<'_, str> {
    let (mut kept, mut from, mut depth) = (String::new(), 0, 0_usize);
    let mut any = false;
    for (at, _) in text.match_indices('<') {
        match tag(&text[at + 1..]) {
            Some(Tag::Open) => {
                if depth == 0 {
                    kept.push_str(&text[from..at]);
                }
                any = true;
                depth += 1;
            }
            Some(Tag::Close(length)) if depth > 0 => {
                depth -= 1;
                from = at + 1 + length;
            }
            _ => {}
        }
    }
    if !any {
        return Cow::Borrowed(text);
    }
    if depth == 0 {
        kept.push_str(&text[from..]);
    }
    Cow::Owned(kept)
}

/// The tag that follows a `<`.
fn tag(rest: &str) -> Option<Tag> {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let after = name
        .get(PRIVATE_TAG.len()..)
        .filter(|_| name[..PRIVATE_TAG.len()].eq_ignore_ascii_case(PRIVATE_TAG))?;
    if name.len() == rest.len() {
        let is_open = after.is_empty() || after.starts_with(|c: char| c == '>' || c.is_whitespace());
        return is_open.then_some(Tag::Open);
    }
    let closed = after.trim_start();
    closed.starts_with('>').then(|| Tag::Close(rest.len() - closed.len() + 1))
}

// Removes private keys before any text is cut. A key spans many lines, and a cut could leave lines
// that can no longer be recognised as one. The store finds all other credentials.

const KEY_BEGIN: &str = "-----BEGIN ";

const KEY_END: &str = "-----END ";

/// The end of a key's first and last line. Those of certificates and public keys end differently.
const KEY_LABEL: &str = "PRIVATE KEY-----";

const PGP_KEY_LABEL: &str = "PRIVATE KEY BLOCK-----";

/// The longest name before the label; encrypted and OpenSSH keys have the longest.
const MAX_KEY_NAME: usize = 40;

/// Whether a text contains a private key, or a recognisable piece of one.
pub(super) fn has_private_key(text: &str) -> bool {
    text.contains(KEY_LABEL) || text.contains(PGP_KEY_LABEL)
}

/// The text with each private key replaced. A key without an end extends to the end of the text,
/// unless its first line is only mentioned.
fn without_keys(text: &str) -> Cow<'_, str> {
    if !has_private_key(text) {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::new(), text);
    loop {
        let (begin, end) = (key_line(rest, KEY_BEGIN), key_line(rest, KEY_END));
        match (begin, end) {
            (Some((at, length)), end) if end.is_none_or(|(end, _)| at < end) => {
                let (before, inside) = rest.split_at(at + length);
                if end.is_none() && !key_follows(inside) {
                    kept.push_str(before);
                    rest = inside;
                    continue;
                }
                kept.push_str(&rest[..at]);
                kept.push_str(nudge_secrets::REDACTED);
                let Some((end, length)) = key_line(inside, KEY_END) else { return Cow::Owned(kept) };
                rest = &inside[end + length..];
            }
            // An end without a beginning: everything before it may be the key.
            (_, Some((end, length))) => {
                kept.push_str(nudge_secrets::REDACTED);
                rest = &rest[end + length..];
            }
            (_, None) => {
                kept.push_str(rest);
                return Cow::Owned(kept);
            }
        }
    }
}

/// Whether a key follows its first line: after the end of the line, escaped or not, or soon after.
/// A search for the line has neither.
fn key_follows(inside: &str) -> bool {
    /// Shorter runs of these characters are words.
    const MIN_KEY_LENGTH: usize = 24;
    const MAX_KEY_DISTANCE: usize = 120;
    let is_material = |b: u8| b.is_ascii_alphanumeric() || b"+/=".contains(&b);
    inside.starts_with(['\n', '\r', '\\'])
        || first_bytes(inside, MAX_KEY_DISTANCE)
            .as_bytes()
            .split(|b| !is_material(*b))
            .any(|run| run.len() >= MIN_KEY_LENGTH)
}

/// The first line that starts with `start` and ends with the label: its position and length. A
/// pattern for such lines has more than a name between them.
fn key_line(text: &str, start: &str) -> Option<(usize, usize)> {
    let is_name =
        |name: &str| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    text.match_indices(start).find_map(|(at, _)| {
        let name = first_bytes(&text[at + start.len()..], MAX_KEY_NAME);
        let (length, label) = [KEY_LABEL, PGP_KEY_LABEL]
            .into_iter()
            .find_map(|label| Some((name.find(label).filter(|end| is_name(&name[..*end]))?, label)))?;
        Some((at, start.len() + length + label.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_and_long_ones_end_between_words() {
        assert_eq!(head(" abc\0d ", 10), CutText { text: "abcd".into(), cut: false });
        assert_eq!(head("ab cd ef", 4), CutText { text: "ab…".into(), cut: true });
        assert_eq!(head("ab cd ef", 5), CutText { text: "ab cd…".into(), cut: true });
        assert_eq!(head("äöüß", 2), CutText { text: "äö…".into(), cut: true });
        assert_eq!(head(&"x".repeat(1000), 500).text.chars().count(), 501);
    }

    #[test]
    fn the_end_counts_more_than_the_middle() {
        let text = format!("first {} last words", "middle ".repeat(100));
        let kept = head_and_tail(&text, 8, 12);
        assert_eq!(kept, CutText { text: "first\n…\nlast words".into(), cut: true });
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

    #[test]
    fn spans_go_whatever_their_case_and_depth() {
        for (text, kept) in [
            ("a<private>b</private>c", "ac"),
            ("a<PRIVATE>b</Private >c", "ac"),
            ("a<private>b<private>c</private>d</private>e", "ae"),
            ("a<private reason=\"x\">b</private>c<private>d</private>e", "ace"),
            ("a<private>b", "a"),
            ("a<private>b<private>c</private>d", "a"),
            ("a<private", "a"),
            ("<private>all</private>", ""),
            ("a</private>b", "a</private>b"),
            ("Vec<privateer>", "Vec<privateer>"),
            ("a < b <pr <ä", "a < b <pr <ä"),
        ] {
            assert_eq!(without_private(text), kept, "{text}");
            assert_eq!(has_private(text), text != kept || text.contains("</private>"), "{text}");
        }
    }

    #[test]
    fn keys_go_whole_or_cut_off_with_any_sign_before_their_lines() {
        for (text, kept) in [
            ("a -----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY----- b", "a [REDACTED] b"),
            ("+-----BEGIN PRIVATE KEY-----\n+x\n+-----END PRIVATE KEY-----\n+y", "+[REDACTED]\n+y"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\\nx", "[REDACTED]"),
            ("x\n-----END EC PRIVATE KEY-----\nb", "[REDACTED]\nb"),
            (
                "x\n-----END EC PRIVATE KEY-----\n-----BEGIN EC PRIVATE KEY-----\ny\n-----END EC PRIVATE KEY-----",
                "[REDACTED]\n[REDACTED]",
            ),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----", "[REDACTED]"),
            (
                "/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, and more",
                "/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, and more",
            ),
            (
                "grep -rn -- \"-----BEGIN RSA PRIVATE KEY-----\" src && ls",
                "grep -rn -- \"-----BEGIN RSA PRIVATE KEY-----\" src && ls",
            ),
            (
                "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
            ),
        ] {
            assert_eq!(without_keys(text), kept, "{text}");
        }
    }
}
