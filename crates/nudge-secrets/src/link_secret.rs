//! Secrets in the path of an address: `/reset-password/…`, `/hooks/…`, `/t/token/…`.

use super::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::is_random;
use super::strength::{Strength, strength};
use super::surprise::surprise;
use super::token::Classes;

/// Directories with members that open something.
static PLACES: Index<26> = Index::folded([
    "infura.io/v3/",
    "infura.io/ws/v3/",
    "alchemy.com/v2/",
    "alchemyapi.io/v2/",
    "/token/",
    "/tokens/",
    "/secret/",
    "/secrets/",
    "/key/",
    "/apikey/",
    "/api-key/",
    "/api_key/",
    "/webhook/",
    "/webhooks/",
    "/hook/",
    "/hooks/",
    "/invite/",
    "/reset/",
    "/reset-password/",
    "/password-reset/",
    "/magic/",
    "/magic-link/",
    "/verify/",
    "/confirm/",
    "/activate/",
    "/private/",
]);

/// Words in a file name that a password follows: `dump_pw_…`.
static NAMES: Index<10> = Index::folded([
    "pw_",
    "pw-",
    "pass_",
    "pass-",
    "password_",
    "password-",
    "passwd_",
    "passwd-",
    "pwd_",
    "pwd-",
]);

/// Hosts where every path opens something.
static HOSTS: Index<8> = Index::folded([
    "//hooks.",
    "//hook.",
    "//webhook.",
    "//webhooks.",
    "//hc-ping.com",
    "//webhook-",
    "//events.pagerduty",
    "//push.",
]);

/// Finds the random part after such a directory.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    PLACES.each(text, |number, at| {
        let start = at + PLACES.length(number);
        let length = text[start..]
            .iter()
            .take(512)
            .take_while(|b| b.is_ascii_alphanumeric() || b"_-~".contains(b))
            .count();
        let value = &text[start..start + length];
        // Packages and chapters have such names too: only a value that a program issued counts.
        if is_issued(value) && !is_placeholder(value) {
            found.push(Finding { rule: "link-secret", start, end: start + length });
        }
    });
    HOSTS.each(text, |number, at| in_path(text, at + HOSTS.length(number), found));
    NAMES.each(text, |number, at| {
        if at == 0 || !text[at - 1].is_ascii_alphanumeric() {
            found.extend(in_name(text, at + NAMES.length(number)));
        }
    });
}

/// Finds each random part of a path.
fn in_path(text: &[u8], from: usize, found: &mut Vec<Finding>) {
    /// Longer than such an address, in bytes.
    const REACH: usize = 256;
    let in_address = |b: &&u8| b.is_ascii_alphanumeric() || b"_-~/.".contains(b);
    let length = text[from..].iter().take(REACH).take_while(in_address).count();
    let mut start = from;
    for part in text[from..from + length].split(|b| *b == b'/') {
        if start > from && is_issued(part) && !is_placeholder(part) {
            found.push(Finding { rule: "link-secret", start, end: start + part.len() });
        }
        start += part.len() + 1;
    }
}

/// The password in a file name.
fn in_name(text: &[u8], start: usize) -> Option<Finding> {
    /// Longer than a path that people write, in bytes.
    const REACH: usize = 160;
    let before = &text[start.saturating_sub(REACH)..start];
    let path = before.iter().rev().take_while(|b| !b.is_ascii_whitespace()).any(|b| b"/\\".contains(b));
    let length = text[start..]
        .iter()
        .take(64)
        .take_while(|b| b.is_ascii_alphanumeric() || b"!@#$%&*+~".contains(b))
        .count();
    (path && strength(&text[start..start + length]) > Strength::Plain).then_some(Finding {
        rule: "link-secret",
        start,
        end: start + length,
    })
}

fn is_issued(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let hex = value.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
    let digits = classes.digits > 0 && classes.letters() > 0;
    if hex {
        return value.len() >= 16 && digits;
    }
    digits
        && value.len() >= 10
        && classes.others * 6 <= value.len()
        && is_random(value)
        && surprise(value) >= 6.0
}
