//! Long tokens that only a random generator writes, whoever issued them.
//!
//! The rule for credentials without a vendor's prefix and without a name. It is careful:
//! identifiers of things (requests, messages, objects), digests, encoded files and encoded text
//! look random too.

use super::finding::Finding;
use super::surprise::{is_sequence, surprise};
use super::token::{Classes, distinct};

mod innocent;

pub(super) use innocent::decode;

/// The shortest token with both cases and digits. Nano ids have 21 characters, object ids of the
/// common document stores 20 to 24.
const MIN_MIXED: usize = 24;

/// The shortest token of one case: ULIDs have 26 characters, cuids 25.
const MIN_PLAIN: usize = 30;

/// The shortest token of one case between slashes: mailing lists number their messages with 32.
const MIN_IN_PATH: usize = 36;

/// The longest token; a longer one is an encoded file.
const MAX_TOKEN_BYTES: usize = 240;

/// The bits of evidence required of the shortest token, chosen so that none of 500 generated tokens
/// of each shape in the tests falls short. All rules together then find something once in two
/// megabytes of the sources that the letter statistics come from, and two or three times per
/// megabyte of other documentation and scripts, including example credentials.
const MIN_EVIDENCE: f32 = 11.0;

/// More bits for each character beyond the shortest, up to sixty characters.
const EVIDENCE_PER_CHARACTER: f32 = 0.45;

/// Finds random tokens.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        if !in_token(text[at]) {
            at += 1;
            continue;
        }
        let end = at + text[at..].iter().take_while(|b| in_token(**b)).count();
        if end - at >= MIN_MIXED {
            judge(text, at, end, found);
        }
        at = end;
    }
}

/// Whether the text around the token or its own form shows that it is not a credential.
pub(super) fn is_excused(text: &[u8], start: usize, end: usize) -> bool {
    innocent::is_harmless_by_context(text, start, end) || innocent::is_harmless_by_form(&text[start..end])
}

/// Whether the text around the token shows that it is a digest, a serial number or an identifier.
pub(super) fn is_announced_innocent(text: &[u8], start: usize, end: usize) -> bool {
    innocent::is_harmless_by_context(text, start, end)
}

/// Whether the first characters show that it only identifies something: a message, an agent's
/// session.
pub(super) fn is_identifier_of_thing(value: &[u8]) -> bool {
    innocent::is_harmless_by_prefix(value)
}

/// Whether a value is random rather than written: for values that a name already makes suspicious.
pub(super) fn is_random(value: &[u8]) -> bool {
    /// A name already says that it is a credential, so little evidence is needed.
    const SOME_EVIDENCE: f32 = 3.0;
    value.len() >= 8 && surprise(value) >= SOME_EVIDENCE && !is_sequence(value)
}

/// The alphabets of base 62, base 64 and its URL-safe variant.
fn in_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/_-".contains(&b)
}

fn judge(text: &[u8], start: usize, end: usize, found: &mut Vec<Finding>) {
    if !is_path(&text[start..end]) {
        found.extend(issued(text, start, end));
        return;
    }
    if innocent::is_harmless_by_context(text, start, end)
        || innocent::is_harmless_by_prefix(&text[start..end])
    {
        return;
    }
    let mut at = start;
    for part in text[start..end].split(|&b| b == b'/') {
        // Addresses are full of identifiers of one case.
        let classes = Classes::of(part);
        let least = if classes.lower > 0 && classes.upper > 0 { MIN_MIXED } else { MIN_IN_PATH };
        if part.len() >= least {
            found.extend(issued(text, at, at + part.len()));
        }
        at += part.len() + 1;
    }
}

/// The finding for a generated token that nothing excuses.
fn issued(text: &[u8], start: usize, end: usize) -> Option<Finding> {
    let token = &text[start..end];
    if !is_issued(token) || is_excused(text, start, end) {
        return None;
    }
    let (start, end) = widen(text, start, end);
    Some(Finding { rule: "random-token", start, end })
}

/// Whether slashes separate names here; in base 64 they are ordinary characters.
fn is_path(token: &[u8]) -> bool {
    let is_word = |part: &[u8]| part.len() >= 4 && Classes::of(part).upper <= 1 && surprise(part) < -1.5;
    let is_digest = |part: &[u8]| {
        let digits = part.strip_prefix(b"0x").unwrap_or(part);
        digits.len() >= 32 && digits.iter().all(u8::is_ascii_hexdigit)
    };
    let small = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_lowercase);
    let directories = token.split(|b| *b == b'/').take_while(|part| small(part)).count();
    directories >= 2
        || token.contains(&b'/')
            && token.split(|b| b"/+".contains(b)).any(|part| is_word(part) || is_digest(part))
}

/// Whether a generator wrote all of it, or all of it after a prefix of words.
fn is_issued(token: &[u8]) -> bool {
    let last = token.rsplit(|b| b"_-".contains(b)).next().unwrap_or(token);
    is_generated(token) || last.len() < token.len() && last.len() >= MIN_MIXED && is_generated(last)
}

fn is_generated(token: &[u8]) -> bool {
    let classes = Classes::of(token);
    let mixed = classes.lower > 0 && classes.upper > 0 && classes.digits > 0;
    let least = if mixed { MIN_MIXED } else { MIN_PLAIN };
    // Words are joined by many separators; a generator's alphabet has two of them in sixty-four.
    let joined = classes.others * 6 > token.len() || token.contains(&b'/') && token.len() < MIN_PLAIN;
    (least..=MAX_TOKEN_BYTES).contains(&token.len())
        && !joined
        && classes.letters() > 0
        && distinct(token) >= 12
        && surprise_beyond_hex(token) >= evidence(token.len())
        && !is_sequence(token)
}

/// The bits of evidence required of a token: a longer one must have more.
fn evidence(length: usize) -> f32 {
    MIN_EVIDENCE + EVIDENCE_PER_CHARACTER * (length.min(60) - MIN_MIXED) as f32
}

/// The surprise of a token without its groups of hexadecimal digits: a digest or UUID among words
/// is still a digest.
fn surprise_beyond_hex(token: &[u8]) -> f32 {
    let is_mark = |b: &u8| b"-_/+".contains(b);
    let is_hex = |group: &[u8]| group.len() >= 4 && group.iter().all(u8::is_ascii_hexdigit);
    if !token.split(is_mark).any(is_hex) {
        return surprise(token);
    }
    token.split(is_mark).filter(|group| !is_hex(group)).map(surprise).sum()
}

/// Extends a token by its padding and by the other parts of a dotted one.
fn widen(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let end = end + text[end..].iter().take_while(|b| **b == b'=').count();
    let behind = &text[end..text.len().min(end + 2 * MAX_TOKEN_BYTES)];
    let before: Vec<u8> =
        text[start.saturating_sub(2 * MAX_TOKEN_BYTES)..start].iter().rev().copied().collect();
    (start - parts_length(&before), end + parts_length(behind))
}

/// The length of the dots and parts at the beginning of `rest` that belong to the token.
///
/// Not a file extension, not a word; a short part belongs to it if the one after it does.
fn parts_length(rest: &[u8]) -> usize {
    let Some((b'.', rest)) = rest.split_first() else { return 0 };
    let length = rest.iter().take_while(|b| in_token(**b)).count();
    let more = parts_length(&rest[length..]);
    let belongs = is_part(&rest[..length]) || (5..=12).contains(&length) && more > 0;
    if belongs { 1 + length + more } else { 0 }
}

fn is_part(part: &[u8]) -> bool {
    let classes = Classes::of(part);
    part.len() >= 5
        && (classes.digits > 0 && classes.letters() > 0 || is_random(part))
        && surprise(part) > 0.0
}
