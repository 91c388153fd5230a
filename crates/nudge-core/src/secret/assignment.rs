//! Values assigned to names that announce a credential, in any notation.
//!
//! `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `X-Api-Key: …`, `password = '…'`, `?sig=…`,
//! `<password>…</password>`, `{"name": "TOKEN", "value": "…"}`, "the password is …".

use super::Finding;
use super::keyword::Index;
use super::name::{Weight, is_secret_parameter, weigh};
use super::value::{Setting, Span, is_secret, read};

mod link;

use link::{Link, links};

/// What the names have in common; a name is looked at where one of these occurs.
static STEMS: Index<16> = Index::folded([
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "jwt", "bearer", "pat", "mnemonic", "phrase",
    "sig", "code", "sessi", "psk",
]);

/// Finds values assigned to credential names.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    STEMS.each(text, |_, at| {
        if at < done {
            return;
        }
        let (start, end) = name_around(text, at, done);
        done = end;
        let parameter = link::is_parameter(text, start);
        let weight = weigh(&text[start..end])
            .or_else(|| (parameter && is_secret_parameter(&text[start..end])).then_some(Weight::Key));
        if let Some(finding) = weight.and_then(|weight| assigned(text, start, end, weight)) {
            done = done.max(finding.end);
            found.push(finding);
        }
    });
}

/// Judges a whole text that is stored under a name.
pub(super) fn whole(key: &[u8], text: &[u8], found: &mut Vec<Finding>) {
    let Some(weight) = weigh(key) else { return };
    let start = text.len() - text.trim_ascii_start().len();
    let Some(Span { start, end, .. }) = read(text, start, b"") else { return };
    let rest = text[end..].trim_ascii();
    if rest.iter().all(|b| b"\"'`".contains(b)) && is_secret(weight, &text[start..end], Setting::Literal) {
        found.push(Finding { rule: "assignment", start, end });
    } else if is_secret(weight, text.trim_ascii(), Setting::Literal) {
        let start = text.len() - text.trim_ascii_start().len();
        found.push(Finding { rule: "assignment", start, end: start + text.trim_ascii().len() });
    }
}

/// The name around a stem: letters, digits and the marks that names have.
fn name_around(text: &[u8], at: usize, from: usize) -> (usize, usize) {
    let in_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let mut start = at - text[from..at].iter().rev().take_while(|b| in_name(b)).count();
    if start > 0 && text[start - 1] == b'\\' && matches!(text[start], b'n' | b'r' | b't') && start < at {
        start += 1;
    }
    let mut end = at + text[at..].iter().take_while(|b| in_name(b)).count();
    while end > at && matches!(text[end - 1], b'-' | b'.') {
        end -= 1;
    }
    (with_kind(text, start, end, from), end)
}

/// Where "api key" begins: a key is told by the word before it.
fn with_kind(text: &[u8], start: usize, end: usize, from: usize) -> usize {
    let name = &text[start..end];
    let wanting = [&b"key"[..], b"phrase"].iter().any(|word| name.eq_ignore_ascii_case(word));
    if !wanting || start <= from || text[start - 1] != b' ' {
        return start;
    }
    start - 1 - text[from..start - 1].iter().rev().take(16).take_while(|b| b.is_ascii_alphabetic()).count()
}

/// The first way of reading what follows the name that yields a credential.
fn assigned(text: &[u8], start: usize, end: usize, weight: Weight) -> Option<Finding> {
    links(text, start, end).into_iter().flatten().find_map(|Link { at, setting, until }| {
        let span = read(text, at, until)?;
        let setting = if span.quoted && setting == Setting::Bare { Setting::Literal } else { setting };
        let value = &text[span.start..span.end];
        (!is_call(text, &span) && is_secret(weight, value, setting)).then_some(Finding {
            rule: "assignment",
            start: span.start,
            end: span.end,
        })
    })
}

/// Whether the value without quotes is a call or an index: `token()`, `parts[1]`, `options["password"]`.
fn is_call(text: &[u8], span: &Span) -> bool {
    let value = &text[span.start..span.end];
    let name = value.iter().take_while(|b| b.is_ascii_alphabetic() || b"_.".contains(b)).count();
    let opened = matches!(value.get(name).or(text.get(span.end)), Some(b'(' | b'['));
    let closed = matches!(value.last(), Some(b')' | b']' | b'[' | b'(')) || name == value.len();
    !span.quoted && name >= 2 && opened && closed
}
