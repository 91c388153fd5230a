//! Credentials as arguments of a call that takes one by its name: `Client("…", "…")`,
//! `hmac.new(b"…")`.

use super::finding::Finding;
use super::finding::Notation;
use super::name::CredentialKind;
use super::placeholder::is_placeholder;
use super::random::{is_identifier_of_thing, is_random};
use super::strength::{Strength, is_technical, strength};
use super::surprise::surprise;
use super::token::{Classes, distinct, find};
use super::value::is_secret;

/// Parts of the names of functions and types that take a credential, in lower case.
#[rustfmt::skip]
const CREDENTIAL_TAKERS: [&str; 50] = [
    "pdo", "basic", "hmac", "jwt", "client", "auth", "login", "connect", "cipher", "aes", "fernet", "secretkey", "secretbox", "signer", "stripe", "twilio", "pusher", "oauth",
    "cookieparser", "cookie", "bot", "apikey", "setkey", "withkey", "token", "secret", "credential", "password", "passwd", "bearer", "signin", "authenticate", "authorize",
    "sign", "crypt", "gen_salt", "keyspec", "privatekey", "wallet", "securestring", "sendgrid", "openai", "anthropic", "algolia", "cloudinary", "mailgun", "webhook", "accesskey", "session", "simple_bind",
];

/// Names that say nothing by themselves: their owner decides.
const NEUTRAL_NAMES: [&str; 15] = [
    "new",
    "__construct",
    "init",
    "create",
    "from",
    "of",
    "getinstance",
    "build",
    "make",
    "setup",
    "configure",
    "default",
    "with",
    "config",
    "use",
];

/// The most bytes of arguments, and the most arguments.
const MAX_BYTES: usize = 400;
const MAX_ARGUMENTS: usize = 8;

/// Finds literals that only a program issues among the arguments of such calls.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    for at in text.iter().enumerate().filter(|(_, b)| **b == b'(').map(|(at, _)| at) {
        if at >= done && takes_credential(text, at) {
            done = arguments(text, at + 1, signs_in(text, at), found);
        }
    }
}

/// Whether the name before the bracket says that the call takes a credential.
fn takes_credential(text: &[u8], open: usize) -> bool {
    /// Longer than names are, in bytes.
    const MAX_BYTES: usize = 64;
    let before = &text[open.saturating_sub(MAX_BYTES)..open];
    let length =
        before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_.:>-!?".contains(b)).count();
    let name = before[before.len() - length..].to_ascii_lowercase();
    let Ok(name) = std::str::from_utf8(&name) else { return false };
    let mut parts = name.rsplit(['.', ':', '>', '-']).filter(|part| !part.is_empty());
    let Some(mut last) = parts.next() else { return false };
    if NEUTRAL_NAMES.contains(&last) {
        last = parts.next().unwrap_or(last);
    }
    CREDENTIAL_TAKERS.iter().any(|taker| last.contains(taker))
        && !last.contains("hash")
        && !last.contains("digest")
        || parts.next() == Some("jwt")
}

/// Whether this call logs a user in with a name and a password.
fn signs_in(text: &[u8], open: usize) -> bool {
    #[rustfmt::skip]
    const NAMES: [&str; 10] = [
        "connect", "login", "pdo", "basic", "basicauth", "signin", "authenticate", "getconnection", "simple_bind", "simple_bind_s",
    ];
    let before = text[open.saturating_sub(24)..open].to_ascii_lowercase();
    NAMES.iter().any(|name| before.ends_with(name.as_bytes()))
}

/// Checks the literals up to the closing bracket. Returns the position of the bracket.
fn arguments(text: &[u8], from: usize, signs_in: bool, found: &mut Vec<Finding>) -> usize {
    let limit = text.len().min(from + MAX_BYTES);
    let (mut at, mut depth, mut count) = (from, 1, 0);
    let mut strings: Vec<(usize, usize)> = Vec::new();
    while at < limit && depth > 0 && count < MAX_ARGUMENTS {
        match text[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            quote @ (b'"' | b'\'' | b'`') => {
                let start = at + 1;
                let Some(length) = text[start..limit].iter().position(|b| *b == quote || *b == b'\n') else {
                    break;
                };
                let value = &text[start..start + length];
                strings.push((start, start + length));
                if is_issued(value) {
                    found.push(Finding { rule: "argument", start, end: start + length });
                }
                at = start + length;
                count += 1;
            }
            _ => {}
        }
        at += 1;
    }
    // After the address of a database and a user, the password, whatever it looks like.
    if let [first, user, password, ..] = strings[..]
        && is_data_source(&text[first.0..first.1])
        && text[user.1 + 1..password.0 - 1].iter().all(|b| b", \n\t".contains(b))
        && is_secret(CredentialKind::Password, &text[password.0..password.1], Notation::Literal)
    {
        found.push(Finding { rule: "argument", start: password.0, end: password.1 });
    }
    // After a host or a user, a password that somebody made up.
    let from = if strings.len() >= 3 { 2 } else { 1 };
    for (start, end) in strings.iter().skip(from).take(if signs_in { 1 } else { 0 }) {
        if is_made_up(&text[*start..*end]) {
            found.push(Finding { rule: "argument", start: *start, end: *end });
        }
    }
    at
}

/// Whether it is the address of a database as drivers take it: `dbi:Pg:dbname=…`.
fn is_data_source(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const SCHEMES: [&[u8]; 9] = [
        b"dbi:", b"jdbc:", b"mysql:", b"pgsql:", b"sqlsrv:", b"oci:", b"odbc:", b"firebird:", b"dblib:",
    ];
    SCHEMES
        .iter()
        .any(|scheme| value.len() > scheme.len() && value[..scheme.len()].eq_ignore_ascii_case(scheme))
}

/// A word with digits in it, or groups of four letters as mail providers issue them.
fn is_made_up(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let groups: Vec<&[u8]> = value.split(|b| *b == b' ').collect();
    let issued = groups.len() == 4
        && groups.iter().all(|group| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase));
    let single = groups.len() == 1 && (6..=64).contains(&value.len());
    let odd = classes.digits > 0 && classes.letters() >= 3 || strength(value) > Strength::Plain;
    issued
        || single
            && odd
            && (!is_technical(value) || strength(value) > Strength::Plain)
            && !value.contains(&b'@')
            && !is_placeholder(value)
}

fn is_issued(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let plain = value.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(b));
    let hex = value.len() >= 24 && value.iter().all(u8::is_ascii_hexdigit) && classes.letters() > 2;
    let mixed = value.len() >= 16
        && classes.digits > 0
        && classes.others * 6 <= value.len()
        && is_random(value)
        && surprise(value) >= 8.0;
    // The name of an algorithm: `PBKDF2WithHmacSHA256`.
    let named = [&b"SHA"[..], b"Hmac", b"AES", b"Padding"].iter().any(|name| find(value, name, 0).is_some());
    let algorithm = value.len() < 28 && (named || is_technical(value)) && !hex;
    plain
        && !algorithm
        && classes.digits > 0
        && distinct(value) >= 8
        && (hex || mixed)
        && !is_placeholder(value)
        && !is_identifier_of_thing(value)
}
