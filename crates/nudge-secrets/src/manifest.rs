//! Kubernetes manifests: everything under `data:` and `stringData:` of a secret is a secret,
//! whatever its name.

use super::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::decode;
use super::token::find;

static PLACES: Index<3> = Index::exact(["stringData", "data:", "data\":"]);

/// The most bytes of a manifest that are read after the word.
const REACH: usize = 8 * 1024;

/// Finds the values of secrets in manifests, in YAML and in JSON.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut secret = None;
    let mut done = 0;
    PLACES.each(text, |number, at| {
        let plain = number == 0;
        let is_secret = *secret.get_or_insert_with(|| is_of_secret(text));
        let begun = at == 0 || !text[at - 1].is_ascii_alphanumeric() && !b"_-.".contains(&text[at - 1]);
        if at < done || !begun || !(plain || is_secret) {
            return;
        }
        let end = at + PLACES.length(number);
        let marks = text[end..].iter().take(6).take_while(|b| b"\": ".contains(b)).count();
        done = if text.get(end + marks) == Some(&b'{') {
            object(text, end + marks + 1, plain, found)
        } else {
            block(text, at, end + marks, plain, found)
        };
    });
}

fn is_of_secret(text: &[u8]) -> bool {
    [
        &b"kind: Secret\n"[..],
        b"kind: Secret\r",
        b"\"kind\": \"Secret\"",
        b"\"kind\":\"Secret\"",
        b"kind: \"Secret\"",
    ]
    .iter()
    .any(|kind| find(text, kind, 0).is_some())
        || text.ends_with(b"kind: Secret")
}

/// Reads the lines that are indented deeper than the word.
fn block(text: &[u8], word: usize, from: usize, plain: bool, found: &mut Vec<Finding>) -> usize {
    let line = text[..word].iter().rev().take(64).take_while(|b| **b != b'\n').count();
    let indent = text[word - line..word].iter().take_while(|b| **b == b' ').count();
    let Some(newline) = text[from..].iter().take(4).position(|b| *b == b'\n') else { return from };
    let mut at = from + newline + 1;
    let limit = text.len().min(at + REACH);
    while at < limit {
        let length = text[at..].iter().position(|b| *b == b'\n').unwrap_or(text.len() - at);
        let line = &text[at..at + length];
        let deep = line.iter().take_while(|b| **b == b' ').count();
        if deep <= indent && !line.trim_ascii().is_empty() {
            break;
        }
        if let Some(colon) = find(line, b": ", deep) {
            value(text, at + colon + 2, at + length, plain, found);
        }
        at += length + 1;
    }
    at
}

/// Reads the members of an object.
fn object(text: &[u8], from: usize, plain: bool, found: &mut Vec<Finding>) -> usize {
    let limit = text.len().min(from + REACH);
    let close = text[from..limit].iter().position(|b| *b == b'}').map_or(limit, |at| from + at);
    let mut at = from;
    while let Some(colon) = find(&text[..close], b":", at) {
        let start = colon + 1 + text[colon + 1..close].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let end = match text.get(start) {
            Some(b'"') => find(&text[..close], b"\"", start + 1).unwrap_or(close),
            _ => find(&text[..close], b",", start).unwrap_or(close),
        };
        value(text, start, end, plain, found);
        at = end.max(colon + 1);
    }
    close
}

fn value(text: &[u8], start: usize, end: usize, plain: bool, found: &mut Vec<Finding>) {
    let raw = &text[start..end];
    let lead = raw.iter().take_while(|b| b" \t\"'".contains(b)).count();
    let tail = raw[lead..].iter().rev().take_while(|b| b" \t\r\"',".contains(b)).count();
    let value = &raw[lead..raw.len() - tail];
    let digits = value.strip_suffix(b"==").or_else(|| value.strip_suffix(b"=")).unwrap_or(value);
    let encoded = value.len() >= 8 && value.len().is_multiple_of(4) && decode(digits).is_some();
    let stated = plain
        && value.len() >= 5
        && !value.iter().any(u8::is_ascii_whitespace)
        && !b"|>&*!".contains(&value[0]);
    if (encoded || stated) && !is_placeholder(value) && find(value, b"://", 0).is_none() {
        found.push(Finding { rule: "manifest", start: start + lead, end: start + lead + value.len() });
    }
}
