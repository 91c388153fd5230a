//! Credentials in addresses: the password in `scheme://user:password@host`, and secrets in paths.

use super::finding::{Budget, Finding};
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::is_random;
use super::strength::{Strength, strength};
use super::surprise::surprise;
use super::token::{Classes, find};

/// The longest authority part that is read, in bytes.
const MAX_BYTES: usize = 512;

/// Finds passwords in addresses.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut from = 0;
    let budget = Budget::of(text);
    while let Some(at) = find(text, b"://", from) {
        from = at + 3;
        let word = text[from..].iter().take(MAX_BYTES).position(u8::is_ascii_whitespace).unwrap_or(MAX_BYTES);
        if !budget.take(word.min(text.len() - from)) {
            break;
        }
        if at > 0 && text[at - 1].is_ascii_alphanumeric() {
            found.extend(password(text, from));
        }
    }
    for at in text.iter().enumerate().filter(|(_, b)| **b == b'@').map(|(at, _)| at) {
        found.extend(bare(text, at));
    }
}

/// `user:password@host` without a scheme: only if both look like it.
fn bare(text: &[u8], at: usize) -> Option<Finding> {
    /// Longer than a typed password, in bytes.
    const MAX_BYTES: usize = 80;
    const SCHEMES: [&[u8]; 10] =
        [b"mailto", b"sip", b"sips", b"acct", b"xmpp", b"npm", b"git", b"ssh", b"workspace", b"patch"];
    let before = &text[at.saturating_sub(MAX_BYTES)..at];
    let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`/,<>()[]{}|;=\\".contains(b);
    let word = &before[before.iter().rposition(ends).map_or(0, |end| end + 1)..];
    let colon = word.iter().rposition(|b| *b == b':')?;
    let (user, secret) = (&word[..colon], &word[colon + 1..]);
    let host =
        text[at + 1..].iter().take(64).take_while(|b| b.is_ascii_alphanumeric() || b".-".contains(b)).count();
    let host = &text[at + 1..at + 1 + host];
    // The address of a database in Go: `user:password@tcp(host:3306)`.
    let network =
        matches!(host, b"tcp" | b"unix" | b"tcp4" | b"tcp6") && text.get(at + 1 + host.len()) == Some(&b'(');
    if network && !user.is_empty() && secret.len() >= 4 && !is_placeholder(secret) {
        return Some(Finding { rule: "url-password", start: at - secret.len(), end: at });
    }
    let named =
        host.contains(&b'.') && host.iter().any(u8::is_ascii_alphabetic) && host[0].is_ascii_alphanumeric()
            || is_ipv4(host);
    let known = SCHEMES.iter().any(|scheme| user.eq_ignore_ascii_case(scheme));
    let fits =
        !user.is_empty() && user.iter().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(b)) && !known;
    (named && fits && strength(secret) > Strength::Plain).then_some(Finding {
        rule: "url-password",
        start: at - secret.len(),
        end: at,
    })
}

/// Four numbers with dots between them, and the end of a sentence.
fn is_ipv4(host: &[u8]) -> bool {
    let mut groups = host.strip_suffix(b".").unwrap_or(host).split(|b| *b == b'.');
    let number = |group: &[u8]| (1..=3).contains(&group.len()) && group.iter().all(u8::is_ascii_digit);
    groups.clone().count() == 4 && groups.all(number)
}

/// The password of the authority that begins at `start`.
fn password(text: &[u8], start: usize) -> Option<Finding> {
    let word = &text[start..text.len().min(start + MAX_BYTES)];
    let word = &word[..word
        .iter()
        .position(|b| b.is_ascii_whitespace() || b"\"'`<>,\\|".contains(b))
        .unwrap_or(word.len())];
    let mark = word.iter().position(|b| b":/?#@".contains(b))?;
    // A token in place of the user, alone or with a well-known password.
    let token = &word[..mark];
    // The address for error reports: its key is public, written into every page.
    let public = word[mark] == b'@' && find(word, b"sentry.io", mark).is_some();
    if b":@".contains(&word[mark]) && !public && is_token(token) && word[mark..].contains(&b'@') {
        return Some(Finding { rule: "url-token", start, end: start + mark });
    }
    let colon = Some(mark).filter(|&at| word[at] == b':')?;
    let slash = word.iter().position(|b| b"/?#".contains(b)).unwrap_or(word.len());
    // A password may contain an unencoded slash; a port and a path must not be mistaken for one.
    let at = match word[..slash].iter().rposition(|&b| b == b'@') {
        Some(at) => at,
        None if slash > colon && !word[colon + 1..slash].iter().all(u8::is_ascii_digit) => {
            slash + word[slash..].iter().position(|&b| b == b'@')?
        }
        None => return None,
    };
    let secret = word.get(colon + 1..at)?;
    let user = &word[..colon];
    (secret.len() >= 3 && !is_placeholder(secret) && !is_default(user, secret)).then_some(Finding {
        rule: "url-password",
        start: start + colon + 1,
        end: start + at,
    })
}

/// A user name that only a program issues.
fn is_token(user: &[u8]) -> bool {
    let classes = Classes::of(user);
    let hex = user.len() >= 24 && user.iter().all(u8::is_ascii_hexdigit);
    let mixed = user.len() >= 16 && classes.digits > 0 && is_random(user) && surprise(user) >= 6.0;
    classes.letters() > 0 && (hex || mixed)
}

/// The default passwords of local databases, as used in documentation.
fn is_default(user: &[u8], secret: &[u8]) -> bool {
    const DEFAULTS: [&[u8]; 8] =
        [b"postgres", b"root", b"admin", b"guest", b"test", b"minioadmin", b"x-oauth-basic", b"mysql"];
    user == secret || DEFAULTS.iter().any(|default| secret.eq_ignore_ascii_case(default))
}

// Secrets in the path of an address: `/reset-password/…`, `/hooks/…`, `/t/token/…`.

/// Directories with members that open something.
static SECRET_DIRECTORIES: Index<26> = Index::folded([
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
static PASSWORD_FILE_WORDS: Index<10> = Index::folded([
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
static SECRET_HOSTS: Index<8> = Index::folded([
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
pub(super) fn detect_in_path(text: &[u8], found: &mut Vec<Finding>) {
    SECRET_DIRECTORIES.each(text, |number, at| {
        let start = at + SECRET_DIRECTORIES.length(number);
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
    SECRET_HOSTS.each(text, |number, at| in_path(text, at + SECRET_HOSTS.length(number), found));
    PASSWORD_FILE_WORDS.each(text, |number, at| {
        if at == 0 || !text[at - 1].is_ascii_alphanumeric() {
            found.extend(in_name(text, at + PASSWORD_FILE_WORDS.length(number)));
        }
    });
}

/// Finds each random part of a path.
fn in_path(text: &[u8], from: usize, found: &mut Vec<Finding>) {
    /// Longer than such an address, in bytes.
    const MAX_BYTES: usize = 256;
    let in_address = |b: &&u8| b.is_ascii_alphanumeric() || b"_-~/.".contains(b);
    let length = text[from..].iter().take(MAX_BYTES).take_while(in_address).count();
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
    const MAX_BYTES: usize = 160;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
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
