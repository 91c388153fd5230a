//! Whether a word next to a name is the password, key or code that the name announces.

use super::super::looks::is_public;
use super::super::placeholder::is_placeholder;
use super::super::random::is_random;
use super::super::strength::is_advisory;
use super::super::surprise::surprise;
use super::super::token::{Classes, holds_digest};

/// Whether the word links a name to its value: "lautet", "is", "é".
pub(super) fn is_copula(word: &[u8]) -> bool {
    let copula: [&str; 19] = [
        "s", "は", "是", "为", "이", "is", "was", "=", "ist", "lautet", "est", "es", "é", "è", "är", "er",
        "jest", "to:", "это",
    ];
    copula.iter().any(|copula| word == copula.as_bytes())
}

/// Words and numbers joined as in no text but a password: `kAffee-um-halb8`, `roter.bus.42`.
pub(super) fn is_composed_password(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let file = value.rsplit(|b| *b == b'.').next().is_some_and(|end| !end.iter().any(u8::is_ascii_digit));
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b) || *b >= 0x80;
    (10..=40).contains(&value.len())
        && value.iter().all(plain)
        && value.iter().any(|b| b"-_.".contains(b))
        && !(value.contains(&b'.') && file)
        && has_number(value)
        && classes.letters() >= classes.digits * 2
        && !value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"-_".contains(b))
        && value[0].is_ascii_alphabetic()
        && !is_placeholder(value)
}

/// Whether it has two digits in a row; a single one is a version number.
pub(super) fn has_number(value: &[u8]) -> bool {
    value.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit))
}

/// A word that only a program issues.
pub(super) fn is_issued(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    if hex {
        return value.len() >= 24 && classes.digits > 0 && classes.letters() > 0;
    }
    let base32 = value.len() >= 16
        && classes.digits > 0
        && value.iter().all(|b| matches!(b, b'A'..=b'Z' | b'2'..=b'7'));
    if base32 {
        return true;
    }
    let file = value.contains(&b'/') && value.contains(&b'.');
    let public = is_public(value.strip_prefix(b"=").unwrap_or(value));
    if file || public || holds_digest(value) || is_pointer(value) || is_advisory(&value.to_ascii_lowercase())
    {
        return false;
    }
    let address = value.iter().any(|b| b":#@?&".contains(b));
    let joined = address || classes.others * 6 > value.len();
    value.len() >= 16 && classes.digits > 0 && !joined && is_random(value) && surprise(value) >= 10.0
}

/// An address in memory, as debuggers print it: `tok=0x563e0cbb2010`.
fn is_pointer(value: &[u8]) -> bool {
    let value = value.iter().position(|b| *b == b'=').map_or(value, |at| &value[at + 1..]);
    value
        .strip_prefix(b"0x")
        .is_some_and(|digits| (1..=16).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit))
}

/// Whether the word before says that a digest or an identifier follows.
pub(super) fn names_digest(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const NAMES: [&[u8]; 24] = [
        b"commit", b"sha", b"sha1", b"sha256", b"md5", b"rev", b"revision", b"hash", b"digest", b"checksum", b"id", b"image", b"tag",
        b"fingerprint", b"blob", b"object", b"etag", b"revert", b"trace", b"build", b"session", b"request", b"from", b"in",
    ];
    let word = word.strip_suffix(b":").unwrap_or(word).to_ascii_lowercase();
    NAMES.contains(&&word[..]) || word.ends_with(b"_id") || word.ends_with(b"id=")
}

/// Digits in the form of a PIN or a code.
pub(super) fn is_number(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"#").unwrap_or(value);
    let year = value.len() == 4 && (value.starts_with(b"19") || value.starts_with(b"20"));
    (4..=10).contains(&value.len()) && value.iter().all(u8::is_ascii_digit) && !year
}

/// Digits in two or three short groups: `4711-0815`. A date begins with its year.
pub(super) fn is_dashed_number(value: &[u8]) -> bool {
    let groups = value.split(|b| *b == b'-');
    let short = |group: &[u8]| (2..=4).contains(&group.len()) && group.iter().all(u8::is_ascii_digit);
    let date = value.starts_with(b"19") || value.starts_with(b"20");
    (2..=3).contains(&groups.clone().count()) && groups.clone().all(short) && !date && value.len() >= 6
}

/// Capitals and digits in groups, as codes are printed: `A7X9-22KQ`.
pub(super) fn is_label(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let plain = value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'-');
    plain && value.len() >= 6 && classes.upper >= 2 && classes.digits >= 2
}

/// Whether the word before a number introduces it: nothing, a verb or a colon.
pub(super) fn announces(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    matches!(&lower[..], b"" | b"is" | b"it's" | b"its" | b"was" | b"=" | b":" | b"code" | b"ist" | b"to")
        || lower.ends_with(b":")
}
