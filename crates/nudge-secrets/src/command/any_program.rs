//! Passwords on command lines that are recognised without knowing the program.

use super::super::finding::Budget;
use super::super::finding::Finding;
use super::super::keyword::Index;
use super::super::name::credential_kind;
use super::super::strength::{Strength, is_word_and_number, strength};
use super::super::token::find;
use super::finding;
use crate::command;

/// Runs all detectors of this module.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    beside_user(text, found);
    behind_user(text, found);
    here_strings(text, found);
    stored_secrets(text, found);
    sent(text, found);
    in_query(text, found);
    behind_algorithm(text, found);
    given(text, found);
}

/// A password given to a flag in the form that says so: `--ks-pass pass:…`, `-passin pass:…`.
fn given(text: &[u8], found: &mut Vec<Finding>) {
    /// The longest flag, in bytes.
    const MAX_BYTES: usize = 32;
    let mut from = 0;
    while let Some(at) = find(text, b"pass:", from) {
        from = at + 5;
        let quote = at.checked_sub(1).map(|at| text[at]).filter(|b| b"\"'".contains(b));
        let word = at - usize::from(quote.is_some());
        let before = &text[word.saturating_sub(MAX_BYTES)..word];
        let Some((b' ' | b'=' | b'\t', before)) = before.split_last() else { continue };
        let flag = before.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        if !flag.starts_with(b"-") || find(flag, b"pass", 0).is_none() {
            continue;
        }
        let ends =
            |b: &u8| quote.map_or(b.is_ascii_whitespace() || b"\"'`;|".contains(b), |quote| *b == quote);
        let length = text[from..].iter().take(128).take_while(|b| !ends(b)).count();
        found.extend(finding(text, (from, from + length)));
    }
}

/// The passwords of a user of a network monitor, each after its algorithm:
/// `createUser ops SHA "…" AES "…"`, `snmp-server user ops … auth sha … priv aes 128 …`.
fn behind_algorithm(text: &[u8], found: &mut Vec<Finding>) {
    const ALGORITHMS: [&[u8]; 5] = [b"sha", b"md5", b"aes", b"des", b"3des"];
    let budget = Budget::of(text);
    MONITOR_COMMANDS.each(text, |number, at| {
        let words = command::of(text, at + MONITOR_COMMANDS.length(number));
        if !budget.take(words.last().map_or(0, |word| word.1 - at)) {
            return;
        }
        let mut announced = false;
        for word in words {
            let (start, end) = command::unquoted(text, word);
            let value = text[start..end].to_ascii_lowercase();
            let name = value.split(|b| *b == b'-').next().unwrap_or_default();
            // The length of the key may be a word of its own.
            let length = value.iter().all(u8::is_ascii_digit) && value.len() == 3;
            if announced && !length {
                let named = credential_kind(&text[start..end]).is_some();
                found.extend(finding(text, (start, end)).filter(|_| !named));
                announced = false;
            } else if !announced {
                announced = ALGORITHMS.contains(&name);
            }
        }
    });
}

/// What a script types for a user: `send "…\r"`.
fn sent(text: &[u8], found: &mut Vec<Finding>) {
    let mut from = 0;
    while let Some(at) = find(text, b"send ", from) {
        from = at + 5;
        let rest = &text[from..];
        let marks = rest.iter().take(6).take_while(|b| b"-\\\" ".contains(b)).count();
        let start = from + marks;
        let length = text[start..]
            .iter()
            .take(80)
            .take_while(|b| !b.is_ascii_whitespace() && !b"\\\"'".contains(b))
            .count();
        if marks > 0
            && rest[..marks].contains(&b'"')
            && strength(&text[start..start + length]) > Strength::Plain
        {
            found.push(Finding { rule: "command-password", start, end: start + length });
        }
    }
}

/// User and password as two short parameters: `?u=admin&p=…`.
fn in_query(text: &[u8], found: &mut Vec<Finding>) {
    const MAX_BYTES: usize = 64;
    let mut from = 0;
    while let Some(at) = find(text, b"&p=", from) {
        from = at + 3;
        let before = &text[at.saturating_sub(MAX_BYTES)..at];
        let user =
            [&b"?u="[..], b"&u=", b"?user=", b"&user="].iter().any(|name| find(before, name, 0).is_some());
        let length = text[from..]
            .iter()
            .take(128)
            .take_while(|b| b.is_ascii_graphic() && !b"&\"'#<>".contains(b))
            .count();
        if user {
            found.extend(finding(text, (from, from + length)));
        }
    }
}

/// Input of a program that reads a password: `podman secret create db - <<< …`.
fn here_strings(text: &[u8], found: &mut Vec<Finding>) {
    /// About a command line, in bytes.
    const MAX_BYTES: usize = 160;
    const READERS: [&[u8]; 14] = [
        b"secret",
        b"passw",
        b"token",
        b"login",
        b"kinit",
        b"cryptsetup",
        b"auth",
        b"credential",
        b"pass ",
        b"key",
        b"htpasswd",
        b"vault",
        b"gpg",
        b"sudo",
    ];
    let mut from = 0;
    let budget = Budget::of(text);
    while let Some(at) = find(text, b"<<<", from) {
        from = at + 3;
        if !budget.take(MAX_BYTES) {
            return;
        }
        let line = text[at.saturating_sub(MAX_BYTES)..at].rsplit(|b| *b == b'\n').next().unwrap_or_default();
        let lower = line.to_ascii_lowercase();
        if !READERS.iter().any(|reader| find(&lower, reader, 0).is_some()) {
            continue;
        }
        let Some(&word) = command::first(text, from).as_ref() else { continue };
        let (start, end) = command::unquoted(text, word);
        let user = if find(&lower, b"chpasswd", 0).is_some() {
            text[start..end].iter().position(|b| *b == b':')
        } else {
            None
        };
        found.extend(finding(text, (start + user.map_or(0, |colon| colon + 1), end)));
    }
}

/// Everything given to a secret store is a secret: `fly secrets set A=… B=…`.
fn stored_secrets(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    SECRET_VERBS.each(text, |number, at| {
        let from = at + SECRET_VERBS.length(number);
        let literal = text[from - 1] == b'=';
        for word in command::of(text, from).into_iter().take(if literal { 1 } else { 24 }) {
            if !budget.take(2 * (word.1 - word.0)) {
                return;
            }
            let (start, end) = command::unquoted(text, word);
            let Some(equals) = text[start..end].iter().position(|b| *b == b'=').filter(|at| *at > 0) else {
                continue;
            };
            let name = &text[start..start + equals];
            if name.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b)) {
                found.extend(finding(text, command::unquoted(text, (start + equals + 1, end))));
            }
        }
    });
}

/// The password of a program that is not in the table: `-u user -p …`.
fn beside_user(text: &[u8], found: &mut Vec<Finding>) {
    /// About a short command line, in bytes.
    const MAX_BYTES: usize = 80;
    let mut from = 0;
    while let Some(at) = find(text, b" -p", from) {
        from = at + 3;
        let before = &text[at.saturating_sub(MAX_BYTES)..at];
        let user = [&b" -u "[..], b" -U ", b" --user"].iter().any(|flag| find(before, flag, 0).is_some());
        let Some(&word) = command::first(text, from).as_ref().filter(|_| user) else { continue };
        let (start, end) = command::unquoted(text, word);
        if strength(&text[start..end]) > Strength::Plain {
            found.push(Finding { rule: "command-password", start, end });
        }
    }
}

/// User and password in one word, for any program: `--user root:…`.
fn behind_user(text: &[u8], found: &mut Vec<Finding>) {
    USER_FLAGS.each(text, |number, at| {
        let Some(word) = command::first(text, at + USER_FLAGS.length(number)) else { return };
        let (start, end) = command::unquoted(text, word);
        let Some(colon) = text[start..end].iter().position(|b| *b == b':').filter(|at| *at > 0) else {
            return;
        };
        let secret = &text[start + colon + 1..end];
        if strength(secret) > Strength::Plain || is_word_and_number(secret) {
            found.push(Finding { rule: "command-password", start: start + colon + 1, end });
        }
    });
}

/// Flags that take a user with a password.
static USER_FLAGS: Index<6> =
    Index::exact([" --user ", " --user=", " -u ", " --auth ", " --creds ", " --credentials "]);

/// Commands that create a user of a network monitor.
static MONITOR_COMMANDS: Index<2> = Index::exact(["createUser ", "snmp-server user "]);

/// Verbs that store everything after them as a secret.
static SECRET_VERBS: Index<6> = Index::exact([
    " secrets set ",
    " secret set ",
    " secrets import ",
    " secrets:set ",
    " kv put ",
    " --from-literal=",
]);
