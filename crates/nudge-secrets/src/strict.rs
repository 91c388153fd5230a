//! What counts as a credential only in strict mode, set by the project or the user: shorter random
//! tokens, and anything assigned to a credential name, however weak it looks.
//!
//! It finds more than [`super::scan`] and never less; digests, identifiers and placeholders stay
//! excused.

use std::borrow::Cow;

use super::finding::Finding;
use super::name::{CredentialKind, credential_kind};
use super::placeholder::is_placeholder;
use super::surprise::{is_sequence, surprise};
use super::token::Classes;
use super::{detect, merge_findings, random, replace, scan_keyed};

/// The shortest token; 24 in normal mode.
const MIN_TOKEN_BYTES: usize = 16;

/// The bits of evidence required of a token; in normal mode 11, and more for a longer one.
const MIN_EVIDENCE: f32 = 5.0;

/// The shortest value of a credential name.
const MIN_ASSIGNED: usize = 4;

/// Words in the place of a value that are not values.
const NO_VALUES: [&str; 10] =
    ["true", "false", "null", "none", "undefined", "required", "optional", "string", "unset", "empty"];

/// Finds every credential in a text, in strict mode. `key` is the name that the text is stored
/// under, if any.
pub fn scan_strictly(key: Option<&str>, text: &str) -> Vec<Finding> {
    let mut found = match key {
        Some(key) => scan_keyed(key, text),
        None => merge_findings(text, detect(text.as_bytes())),
    };
    let bytes = text.as_bytes();
    if let Some(key) = key
        && announces(key.as_bytes())
        && is_value(bytes.trim_ascii())
        && !bytes.trim_ascii().contains(&b' ')
    {
        found.push(Finding { rule: "assignment", start: 0, end: text.len() });
    }
    assigned(bytes, &mut found);
    tokens(bytes, &mut found);
    merge_findings(text, found)
}

/// The text with every credential replaced, in strict mode; borrowed when there is none.
pub fn redact_strictly<'t>(key: Option<&str>, text: &'t str) -> Cow<'t, str> {
    let found = scan_strictly(key, text);
    if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replace(text, &found)) }
}

fn tokens(text: &[u8], found: &mut Vec<Finding>) {
    let in_token = |b: &u8| b.is_ascii_alphanumeric() || b"+_-".contains(b);
    let mut at = 0;
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|b| in_token(b)).count();
        let token = &text[at..end];
        let classes = Classes::of(token);
        if token.len() >= MIN_TOKEN_BYTES
            && token.len() <= 240
            && classes.digits > 0
            && classes.lower + classes.upper > 0
            && !token.iter().all(u8::is_ascii_hexdigit)
            && surprise(token) >= MIN_EVIDENCE
            && !is_sequence(token)
            && !random::is_excused(text, at, end)
        {
            found.push(Finding { rule: "random-token", start: at, end });
        }
        at = end.max(at + 1);
    }
}

fn assigned(text: &[u8], found: &mut Vec<Finding>) {
    for (at, _) in text.iter().enumerate().filter(|(_, b)| b"=:".contains(b)) {
        let before = text[..at].trim_ascii_end();
        let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
        let in_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
        let name = &before[before.len() - before.iter().rev().take_while(in_name).count()..];
        if name.is_empty() || !announces(name) {
            continue;
        }
        let mut start = at + 1;
        while text.get(start).is_some_and(|b| b" \t\"'=".contains(b)) {
            start += 1;
        }
        let ends = |b: &&u8| !b.is_ascii_whitespace() && !b"\"';,)}]&|".contains(b);
        let end = start + text[start..].iter().take_while(ends).count();
        if is_value(&text[start..end]) {
            found.push(Finding { rule: "assignment", start, end });
        }
    }
}

fn announces(name: &[u8]) -> bool {
    matches!(
        credential_kind(name),
        Some(
            CredentialKind::Password | CredentialKind::Passphrase | CredentialKind::Key | CredentialKind::Pin
        )
    )
}

fn is_value(value: &[u8]) -> bool {
    value.len() >= MIN_ASSIGNED
        && !b"$<{[(%/.".contains(&value[0])
        && !NO_VALUES.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        && !is_placeholder(value)
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;

    /// Put together here, so that nothing in this file looks like one.
    fn weak() -> String {
        format!("DB_PASSWORD={}", "blue")
    }

    fn short() -> String {
        format!("use {}{} for the till", "xK3vQ9tR", "2mWz7LpD4")
    }

    #[test]
    fn strict_finds_more_and_nothing_less() {
        for text in [weak(), short(), "api_key: tiny1".to_owned(), "{\"password\": \"hunter\"}".to_owned()] {
            assert!(!scan_strictly(None, &text).is_empty(), "{text}");
        }
        assert!(scan(&short()).is_empty() && scan("api_key: tiny1").is_empty());
        let plain = format!("token ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert_eq!(scan(&plain), scan_strictly(None, &plain));
        assert_eq!(redact_strictly(None, &weak()), "DB_PASSWORD=[REDACTED]");
        assert_eq!(redact_strictly(Some("password"), "blue"), "[REDACTED]");
    }

    #[test]
    fn strict_leaves_what_is_none() {
        for text in [
            "docker compose build router",
            "the password is required: ask the person",
            "password: <your password>",
            "PASSWORD=$PASSWORD make run",
            "token_count = 4096",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "id 550e8400-e29b-41d4-a716-446655440000",
            "crates/nudge-memory/src/inject/best_rows.rs",
            "rows_of_all_sessions_are_ranked_together",
            "nudge-2026-11-16-3",
            "x86_64-unknown-linux-gnu",
        ] {
            assert_eq!(scan_strictly(None, text), [], "{text}");
        }
    }
}
