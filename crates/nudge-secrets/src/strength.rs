//! Whether a word in a sentence looks like a password: somebody tried hard to make it strange.
//!
//! Used only near a word about credentials, so weak evidence is enough; but an algorithm, a
//! version, a file name or an identifier must not count as one.

use super::looks::is_dotted_password;
use super::placeholder::is_placeholder;
use super::random::is_random;
use super::surprise::surprise;
use super::token::{Classes, find};

/// The shortest and the longest word that count, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=64;

/// Punctuation that people put into passwords and not into names.
pub(super) const MARKS: &[u8] = b"!@#$%^&*+?~";

/// How strange a word is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Something that people and programs write anyway.
    Plain,
    /// Letters and digits as in a password; names of things can have them too.
    Mixed,
    /// Letters and punctuation that only a password combines.
    Strong,
}

/// Judges a word without the punctuation around it.
pub(super) fn strength(word: &[u8]) -> Strength {
    let classes = Classes::of(word);
    // A single mark at the end belongs to the sentence, unless there are digits too.
    let inner = if classes.digits == 0 { word.len().saturating_sub(1) } else { word.len() };
    let marked = word[..inner].iter().any(|b| MARKS.contains(b));
    // Most words are letters only, which is enough to decide.
    let odd = classes.digits > 0 || marked;
    let innocent = || is_technical(word) || is_measure(word) || is_placeholder(word);
    if !LENGTHS.contains(&word.len()) || !odd || innocent() {
        return Strength::Plain;
    }
    let cased = classes.lower > 0 && classes.upper > 0;
    let letters = classes.letters() + word.iter().filter(|b| **b >= 0x80).count() / 2;
    if letters < 3 {
        return Strength::Plain;
    }
    if marked && (classes.digits > 0 || cased) {
        return Strength::Strong;
    }
    let numbered = classes.digits > 0 && (cased || is_leet(word) || letters > classes.letters() + 2);
    if is_dotted_password(word) {
        return Strength::Mixed;
    }
    if numbered && !is_camel(word) || is_random(word) && classes.digits > 0 {
        return Strength::Mixed;
    }
    Strength::Plain
}

/// Whether it has the marks of code, a path, an address, a version or an algorithm name.
pub(super) fn is_technical(word: &[u8]) -> bool {
    if word.is_empty() {
        return true;
    }
    const CODE: &[u8] = b"(){}[]<>=|\\\"'`;,/";
    #[rustfmt::skip]
    const NAMES: [&[u8]; 38] = [
        b"1password", b"dfsg",
        b"sha1", b"sha2", b"sha3", b"sha5", b"md5", b"base64", b"base32", b"base58", b"utf8", b"utf-8", b"utf16", b"25519", b"x509", b"oauth2", b"argon2",
        b"pbkdf2", b"aes1", b"aes2", b"rsa2", b"hs256", b"rs256", b"es256", b"ipv4", b"ipv6", b"i18n", b"k8s", b"http2", b"win32", b"x86",
        b"arm64", b"amd64", b"log4j", b"fido2", b"pkcs", b"ntlmv2", b"log4",
    ];
    let lower = word.to_ascii_lowercase();
    let version =
        word.iter().filter(|b| b.is_ascii_digit() || b".-v".contains(b)).count() * 4 >= word.len() * 3;
    let address = word.iter().position(|b| *b == b'@').is_some_and(|at| at > 0 && word[at..].contains(&b'.'));
    let escaped =
        word.windows(3).any(|w| w[0] == b'%' && matches!(w[1], b'2'..=b'7') && w[2].is_ascii_hexdigit());
    // Dots join names in code, hosts and files; a password has its dot next to another mark.
    let marked = word.iter().any(|b| MARKS.contains(b));
    let numbered = word.iter().any(u8::is_ascii_digit);
    let dotted =
        word.contains(&b'.') && !(marked && numbered) && surprise(word) < 6.0 && !is_dotted_password(word);
    let joined = word.contains(&b':') && !marked;
    word.iter().any(|b| CODE.contains(b))
        || matches!(
            word[0],
            b'-' | b'#' | b'@' | b'$' | b'&' | b'*' | b'%' | b'+' | b'~' | b'?' | b'!' | b':'
        ) && surprise(word) < 6.0
        || word.starts_with(b"0x")
        || is_shortcut(&lower)
        || is_advisory(&lower)
        || find(word, b"::", 0).is_some()
        || find(word, b"&&", 0).is_some()
        || find(word, b"?.", 0).is_some()
        || find(word, b"->", 0).is_some()
        || word.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-')
        || version
        || address
        || escaped
        || dotted
        || joined
        || NAMES.iter().any(|name| find(&lower, name, 0).is_some()) && surprise(word) < 8.0
}

/// Keys pressed together, in lower case: `ctrl+alt+del`.
fn is_shortcut(lower: &[u8]) -> bool {
    #[rustfmt::skip]
    const MODIFIERS: [&[u8]; 13] = [
        b"ctrl", b"control", b"strg", b"cmd", b"command", b"alt", b"altgr", b"option", b"shift", b"super", b"meta", b"win", b"fn",
    ];
    let mut keys = lower.split(|b| *b == b'+');
    keys.next().is_some_and(|first| MODIFIERS.contains(&first))
        && keys.clone().next().is_some()
        && keys.all(|key| key.len() <= 9)
}

/// The name of a security advisory, in lower case.
pub(super) fn is_advisory(lower: &[u8]) -> bool {
    const DATABASES: [&[u8]; 8] =
        [b"ghsa-", b"cve-", b"rustsec-", b"pysec-", b"snyk-", b"rhsa-", b"osv-", b"cwe-"];
    DATABASES.iter().any(|database| lower.starts_with(database))
}

/// A number and what it counts, as one word: `90-day`, `12-Zeichen-Minimum`.
pub(super) fn is_measure(word: &[u8]) -> bool {
    let digits = word.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    let counted = |b: &u8| b.is_ascii_alphabetic() || *b == b'-' || *b >= 0x80;
    (1..=3).contains(&digits) && word.get(digits) == Some(&b'-') && word[digits..].iter().all(counted)
}

/// A word with a number after it, as people make passwords: `kolibri77`.
pub(super) fn is_word_and_number(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let word = &value[..value.len() - digits];
    (1..=6).contains(&digits)
        && word.len() >= 4
        && word.iter().all(u8::is_ascii_alphabetic)
        && !is_technical(value)
}

/// A digit in place of a letter: `s3cr3t`, `kl3iber`.
fn is_leet(word: &[u8]) -> bool {
    let inner = word
        .windows(3)
        .any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_digit() && w[2].is_ascii_lowercase());
    inner && !word.contains(&b'_') && !word.contains(&b'-') || is_random(word)
}

/// Words joined by capitals, or numbered constants: `Base64Encoder`, `HTTP2_SETTINGS`.
fn is_camel(word: &[u8]) -> bool {
    let seams = word.windows(2).filter(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase()).count();
    let constant = word.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"_-".contains(b));
    (seams >= 1 && surprise(word) < 4.0) || constant
}

#[cfg(test)]
mod tests {
    use super::{Strength, strength};

    #[test]
    fn passwords_are_distinguished_from_technical_words() {
        for (word, expected) in [
            ("Tr0ub4dor&Kestrel", Strength::Strong),
            ("Winter2031!", Strength::Strong),
            ("Blaumeise7", Strength::Mixed),
            ("kl3iberbaum", Strength::Mixed),
            ("Base64Encoder", Strength::Plain),
            ("2024-06-11T09", Strength::Plain),
            ("marta77@corvid.example", Strength::Plain),
            ("HTTP2_SETTINGS", Strength::Plain),
            ("password_reset", Strength::Plain),
            ("src/auth2.rs", Strength::Plain),
            ("hunter", Strength::Plain),
        ] {
            assert_eq!(strength(word.as_bytes()), expected, "{word}");
        }
    }
}
