//! Whether a word in a sentence looks like a password: somebody tried hard to make it strange.
//!
//! Used only near a word about credentials, so weak evidence is enough; but an algorithm, a
//! version, a file name or an identifier must not count as one.

use super::placeholder::is_placeholder;
use super::random::is_random;
use super::surprise::surprise;
use super::token::{Classes, find};

/// The shortest and the longest word that count, in bytes.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 8..=64;

/// Punctuation that people put into passwords and not into names.
pub(super) const PASSWORD_PUNCTUATION: &[u8] = b"!@#$%^&*+?~";

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
    let marked = word[..inner].iter().any(|b| PASSWORD_PUNCTUATION.contains(b));
    // Most words are letters only, which is enough to decide.
    let odd = classes.digits > 0 || marked;
    let innocent = || is_technical(word) || is_measure(word) || is_placeholder(word);
    if !WORD_LENGTHS.contains(&word.len()) || !odd || innocent() {
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
    let marked = word.iter().any(|b| PASSWORD_PUNCTUATION.contains(b));
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

// What passwords look like: which characters, and how words and numbers are joined.

/// Letters, digits and either both cases or punctuation that names do not have.
pub(super) fn is_mixture(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let marks = value.iter().any(|b| b"!@#$%^&*+=?~".contains(b));
    let both = classes.lower > 0 && classes.upper > 0;
    classes.letters() > 0 && (classes.digits > 0 && (both || marks) || marks && both || switches(value) >= 2)
}

/// How often letters and digits alternate: people write `oauth2`, generators `a7f3k`.
pub(super) fn switches(value: &[u8]) -> usize {
    value
        .windows(2)
        .filter(|pair| {
            pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
                || pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
        })
        .count()
}

/// Words and a number joined by dashes: `weather-prod-8812`.
pub(super) fn is_numbered(value: &[u8], digits: usize) -> bool {
    let classes = Classes::of(value);
    let joined = value.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_');
    let long = value.split(|b| !b.is_ascii_digit()).any(|run| run.len() >= digits);
    value.len() >= 12 && joined && long && classes.letters() >= 4 && classes.others <= 5
}

/// Words joined by dots as people make passwords: `Granite.Peak9`, `walnut.tree.7`. Hosts, files
/// and members have no digits there, or end in a known way.
pub(super) fn is_dotted_password(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const ENDINGS: [&[u8]; 44] = [
        b"com", b"net", b"org", b"io", b"app", b"dev", b"local", b"internal", b"lan", b"corp", b"cloud", b"example", b"test", b"de", b"at", b"ch", b"eu", b"js", b"ts", b"py",
        b"rs", b"go", b"rb", b"sh", b"md", b"txt", b"json", b"yml", b"yaml", b"toml", b"xml", b"csv", b"pem", b"key", b"crt", b"log", b"conf", b"cfg", b"ini", b"env", b"gz", b"zip", b"html", b"sql",
    ];
    let mut parts = value.split(|b| *b == b'.');
    let count = parts.clone().count();
    let last = value.rsplit(|b| *b == b'.').next().unwrap_or_default();
    let plain = value.iter().all(|b| b.is_ascii_alphanumeric() || b".-_!".contains(b));
    // A digit in place of a letter, at the end of a word, or alone after words.
    let numbered = parts
        .clone()
        .any(|part| part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_alphabetic))
        || last.iter().all(u8::is_ascii_digit)
            && parts
                .clone()
                .filter(|part| part.len() >= 3 && part.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_'))
                .count()
                + 1
                == count;
    let capital = parts.any(|part| {
        part.first().is_some_and(u8::is_ascii_uppercase) && part.iter().skip(1).any(u8::is_ascii_lowercase)
    });
    let small = value.iter().all(|b| !b.is_ascii_uppercase());
    let version = value.iter().filter(|b| b.is_ascii_digit()).count() * 2 > value.len()
        || value.first().is_some_and(|b| *b == b'v');
    (2..=4).contains(&count)
        && plain
        && numbered
        && (capital || small || value.contains(&b'!'))
        && !version
        && (capital || !value.contains(&b'_'))
        && !ENDINGS.iter().any(|end| last.eq_ignore_ascii_case(end))
}

/// Whether these two words say where a password is kept, so that the sentence does not state it:
/// "in Bitwarden", "im Tresor".
pub(super) fn says_where(previous: &[u8], word: &[u8]) -> bool {
    #[rustfmt::skip]
    const IN: [&[u8]; 11] = [
        b"in", b"im", b"dans", b"en", b"no", b"na", b"w", b"we", b"nel", b"from", b"aus",
    ];
    #[rustfmt::skip]
    const PLACES: [&[u8]; 20] = [
        b"1password", b"bitwarden", b"vaultwarden", b"keepass", b"keepassxc", b"lastpass", b"dashlane", b"vault", b"keychain", b"keyring", b"manager",
        b"tresor", b"kluis", b"coffre", b"coffre-fort", b"gestor", b"sejfie", b"safe", b"valvet", b"trezor",
    ];
    let word = word.trim_ascii_end();
    let word = &word[..word.len() - word.iter().rev().take_while(|b| b",.;:)".contains(b)).count()];
    IN.contains(&&previous.to_ascii_lowercase()[..]) && PLACES.contains(&&word.to_ascii_lowercase()[..])
}

/// Whether the value is the word for a password in some language, as in the label of a field.
pub(super) fn names_password(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const LABELS: [&str; 32] = [
        "contraseña", "hasło", "lösenord", "пароль", "密码", "密碼", "パスワード", "jelszó", "şifre", "mật khẩu", "κωδικός", "비밀번호",
        "nenosiri", "katasandi", "pasahitza", "slaptažodis", "zaporka", "parool", "parole", "fjalëkalimi", "лозинка", "парола", "құпиясөз",
        "գաղտնաբառ", "პაროლი", "סיסמה", "گذرواژه", "पासवर्ड", "รหัสผ่าน", "lykilorð", "cyfrinair", "口令",
    ];
    std::str::from_utf8(value).is_ok_and(|value| LABELS.contains(&value.to_lowercase().as_str()))
}

/// The address of a coin or a contract, or a key that vendors publish in pages.
pub(super) fn is_public(value: &[u8]) -> bool {
    let address =
        value.len() == 42 && value.starts_with(b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit);
    // The public key that browsers verify messages with.
    let point = value.len() == 87
        && value[0] == b'B'
        && value.iter().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b));
    address || point || [&b"pk.eyJ"[..], b"pk_test_", b"pk_live_"].iter().any(|key| value.starts_with(key))
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
