//! Runs of hexadecimal digits.
//!
//! Most of them are digests: 32, 40, 56 and 64 digits (MD5, SHA-1, SHA-224, SHA-256) and UUIDs are
//! left alone unless something says otherwise. Other runs of 32 to 64 digits are no digest in use,
//! and count as keys. Shorter and longer ones are left alone.

use super::finding::Finding;
use super::random::is_announced_innocent;
use super::token::{Classes, begins, distinct, ends, find};

/// Lengths of digests.
const DIGEST_LENGTHS: [usize; 4] = [32, 40, 56, 64];

/// The fewest digits after a prefix that marks a key.
const MIN_PREFIXED: usize = 24;

/// Finds bare hexadecimal keys, and vendors' keys that have the length of a digest.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if length >= MIN_PREFIXED {
            found.extend(judge(text, at, at + length));
        }
        at += length.max(1);
    }
}

fn judge(text: &[u8], start: usize, end: usize) -> Option<Finding> {
    let digits = &text[start..end];
    if !ends(text, end) || distinct(digits) < 6 || digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if let Some(dressed) = find_vendor_key(text, start, end) {
        return Some(dressed);
    }
    if is_prefixed(text, start) {
        let from = start
            - text[..start]
                .iter()
                .rev()
                .take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b))
                .count();
        return Some(Finding { rule: "prefixed-key", start: from, end });
    }
    // A wallet key has as many digits as a digest; the words around it decide.
    if digits.len() == 64 && is_wallet_key(text, start, end) {
        return Some(Finding { rule: "wallet-key", start, end });
    }
    // Documentation generators use a letter and a digest as anchors in a page.
    let anchor = digits.len() == 33 && text[..start].ends_with(b".html#");
    let fraction = start >= 2 && text[start - 1] == b'.' && text[start - 2].is_ascii_digit();
    let bare = begins(text, start) || text[..start].ends_with(b"0x") && begins(text, start - 2);
    let anchor = anchor || is_sharded(text, start, digits.len());
    let odd = (33..64).contains(&digits.len()) && !DIGEST_LENGTHS.contains(&digits.len());
    // Three in eight digits are letters by chance; hardly any are in a number or in text written as
    // hexadecimal digits.
    let number = Classes::of(digits).letters() * 6 < digits.len();
    let numbered = digits.len() == 34 && digits[..2].iter().all(u8::is_ascii_uppercase);
    let innocent = numbered || fraction || anchor || number || is_announced_innocent(text, start, end);
    (bare && odd && !innocent).then_some(Finding { rule: "hex-key", start, end })
}

/// Whether the same line mentions a private key or the accounts of a deployer.
fn is_wallet_key(text: &[u8], start: usize, end: usize) -> bool {
    const MAX_BYTES: usize = 80;
    let before =
        text[start.saturating_sub(MAX_BYTES)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let after = text[end..text.len().min(end + MAX_BYTES)].split(|b| *b == b'\n').next().unwrap_or_default();
    let prefixed = text[..start].ends_with(b"0x");
    let line = [before, after].concat().to_ascii_lowercase();
    let private = [&b"private key"[..], b"privatekey", b"private_key", b"priv key"]
        .iter()
        .any(|name| find(&line, name, 0).is_some());
    private || prefixed && find(&line, b"accounts: [", 0).is_some()
}

/// Whether the directories before it complete a digest: `objects/ce/18d4…`, `packages/ab/cd/…`.
fn is_sharded(text: &[u8], start: usize, length: usize) -> bool {
    let mut total = length;
    let mut at = start;
    while at >= 3 && text[at - 1] == b'/' && text[at - 3..at - 1].iter().all(u8::is_ascii_hexdigit) {
        total += 2;
        at -= 3;
    }
    total > length && DIGEST_LENGTHS.contains(&total)
}

/// Whether the digits follow a prefix that marks somebody's own keys: `acme_live_…`.
fn is_prefixed(text: &[u8], start: usize) -> bool {
    const MARKS: [&[u8]; 8] = [b"live", b"sk", b"tok", b"token", b"secret", b"pat", b"prod", b"apikey"];
    /// These mark a key only at the beginning of a name: `…/private-….ics`.
    const FIRST: [&[u8]; 3] = [b"private", b"key", b"auth"];
    let Some((b'_' | b'-', before)) = text[..start].split_last() else { return false };
    let length = before.iter().rev().take(8).take_while(|b| b.is_ascii_alphanumeric()).count();
    let (rest, word) = before.split_at(before.len() - length);
    let first = !matches!(rest.last(), Some(b'-' | b'_' | b'.'));
    MARKS.iter().any(|mark| word.eq_ignore_ascii_case(mark))
        || first && FIRST.iter().any(|mark| word.eq_ignore_ascii_case(mark))
}

/// Keys of digest length that are recognised by the text next to them.
fn find_vendor_key(text: &[u8], start: usize, end: usize) -> Option<Finding> {
    let before = |prefix: &[u8]| text[..start].ends_with(prefix) && begins(text, start - prefix.len());
    let after = &text[end..];
    let finding = |rule, start, end| Some(Finding { rule, start, end });
    match end - start {
        32 if before(b"SK") => finding("twilio-key", start - 2, end),
        32 if before(b"key-") => finding("mailgun-key", start - 4, end),
        32 if begins(text, start) && is_group(after, 8) && is_group(&after[9..], 8) => {
            finding("mailgun-key", start, end + 18)
        }
        32 if after.starts_with(b"-us") && after.get(3).is_some_and(u8::is_ascii_digit) => {
            let digits = after[3..].iter().take_while(|b| b.is_ascii_digit()).count();
            finding("mailchimp-key", start, end + 3 + digits)
        }
        64 => airtable(text, start).and_then(|from| finding("airtable-token", from, end)),
        _ => None,
    }
}

/// Whether the text continues with a dash and exactly this many hexadecimal digits.
fn is_group(text: &[u8], length: usize) -> bool {
    text.first() == Some(&b'-') && text[1..].iter().take_while(|b| b.is_ascii_hexdigit()).count() == length
}

/// Airtable: `pat`, fourteen characters, a dot, sixty-four digits.
fn airtable(text: &[u8], start: usize) -> Option<usize> {
    let from = start.checked_sub(18)?;
    let head = &text[from..start];
    let fits =
        head.starts_with(b"pat") && head[17] == b'.' && head[3..17].iter().all(u8::is_ascii_alphanumeric);
    (fits && begins(text, from)).then_some(from)
}
