//! The password in an address: `scheme://user:password@host`.

use super::Finding;
use super::placeholder::is_placeholder;
use super::token::find;

/// Longest authority part that is read.
const REACH: usize = 512;

/// Finds passwords in addresses.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut from = 0;
    while let Some(at) = find(text, b"://", from) {
        from = at + 3;
        if at > 0 && text[at - 1].is_ascii_alphanumeric() {
            found.extend(password(text, from));
        }
    }
}

/// The password of the authority that begins at `start`.
fn password(text: &[u8], start: usize) -> Option<Finding> {
    let word = &text[start..text.len().min(start + REACH)];
    let word = &word[..word
        .iter()
        .position(|b| b.is_ascii_whitespace() || b"\"'`<>,\\|".contains(b))
        .unwrap_or(word.len())];
    let colon = word.iter().position(|b| b":/?#@".contains(b)).filter(|&at| word[at] == b':')?;
    let slash = word.iter().position(|b| b"/?#".contains(b)).unwrap_or(word.len());
    // A password may contain a slash that nobody encoded; a port and a path may not be taken for one.
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

/// The passwords that everybody's local database has, and that documentation writes.
fn is_default(user: &[u8], secret: &[u8]) -> bool {
    const DEFAULTS: [&[u8]; 8] =
        [b"postgres", b"root", b"admin", b"guest", b"test", b"minioadmin", b"x-oauth-basic", b"mysql"];
    user == secret || DEFAULTS.iter().any(|default| secret.eq_ignore_ascii_case(default))
}
