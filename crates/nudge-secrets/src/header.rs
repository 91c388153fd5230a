//! Credentials in headers: of an `Authorization` header for any scheme, and values of cookies.

use super::finding::{Budget, Finding, Notation};
use super::keyword::Index;
use super::name::CredentialKind;
use super::placeholder::is_placeholder;
use super::random::decode;
use super::surprise::surprise;
use super::token::{Classes, begins, find};
use super::value::is_secret;

static HEADERS: Index<2> = Index::folded(["authorization", "basic "]);

/// The longest header that is read; signatures with all their parameters take less than half of it.
const MAX_HEADER_BYTES: usize = 2048;

/// Parameters of a header that authenticate the caller; the others are public.
const PROOF_PARAMETERS: [&[u8]; 8] = [
    b"response",
    b"signature",
    b"oauth_signature",
    b"oauth_token",
    b"mac",
    b"token",
    b"credential_token",
    b"sig",
];

/// Finds the credentials of authorization headers, and of `Basic …` anywhere.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    HEADERS.each(text, |number, at| {
        let line =
            text[at..].iter().take(MAX_HEADER_BYTES).position(|b| *b == b'\n').unwrap_or(MAX_HEADER_BYTES);
        if !budget.take(4 * line.min(text.len() - at)) {
            return;
        }
        let end = at + HEADERS.length(number);
        if number == 1 {
            if begins(text, at) {
                found.extend(basic(text, end));
            }
            return;
        }
        let marks = text[end..].iter().take(8).take_while(|b| b"\"'\\ :=,".contains(b)).count();
        let between = &text[end..end + marks];
        // A list of headers has commas too; between arguments they are next to quotes.
        let listed = between.contains(&b',') && !between.iter().any(|b| b"\"'".contains(b));
        if between.iter().any(|b| b":=,".contains(b)) && !listed {
            header(text, end + marks, found);
        }
    });
}

/// Reads the header's value.
fn header(text: &[u8], start: usize, found: &mut Vec<Finding>) {
    let line = text[start..].iter().take(MAX_HEADER_BYTES).take_while(|b| !b"\r\n".contains(b)).count();
    let value = &text[start..start + line];
    let scheme = value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_".contains(b)).count();
    if value.get(scheme) == Some(&b' ')
        && value[scheme..].contains(&b'=')
        && parameters(text, start + scheme, start + line, found)
    {
        return;
    }
    let token = if value.get(scheme) == Some(&b' ') && scheme <= 20 { start + scheme + 1 } else { start };
    let length = text[token..start + line]
        .iter()
        .take_while(|b| !b.is_ascii_whitespace() && !b"\"'`\\,;<>|".contains(b))
        .count();
    let secret = &text[token..token + length];
    // A name in code where a value could be: a type, a variable, a member of a list.
    let alone = token == start && Classes::of(secret).digits == 0 && surprise(secret) < 4.0;
    let parameter = secret.ends_with(b"=") && matches!(text.get(token + length), Some(b'"' | b'\\'));
    if is_credential(secret) && !alone && !parameter && find(secret, b"::", 0).is_none() {
        found.push(Finding { rule: "authorization", start: token, end: token + length });
    }
}

/// Anything but a word of a sentence or a placeholder.
fn is_credential(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let odd = classes.digits > 0
        || value.ends_with(b"=")
        || classes.upper > 0 && classes.lower > 0 && value.len() >= 12;
    let code = value.iter().any(|b| b"(){}[]".contains(b));
    value.len() >= 6 && odd && !code && value[0] != b'$' && !is_placeholder(value)
}

/// Reads `name=value, …`. Returns whether one of them authenticates.
fn parameters(text: &[u8], start: usize, end: usize, found: &mut Vec<Finding>) -> bool {
    let mut at = start;
    let mut any = false;
    for part in text[start..end].split(|b| *b == b',') {
        let from = at;
        at += part.len() + 1;
        let Some(equals) = part.iter().position(|b| *b == b'=') else { continue };
        let name = part[..equals].trim_ascii();
        if !PROOF_PARAMETERS.iter().any(|proof| name.eq_ignore_ascii_case(proof)) {
            continue;
        }
        let quotes = part[equals + 1..].iter().take_while(|b| b"\"\\".contains(b)).count();
        let value = from + equals + 1 + quotes;
        let length = text[value..from + part.len()].iter().take_while(|b| !b"\"' \\".contains(b)).count();
        if length >= 6 && !is_placeholder(&text[value..value + length]) {
            found.push(Finding { rule: "authorization", start: value, end: value + length });
            any = true;
        }
    }
    any
}

/// `Basic` and the base 64 of `user:password`.
fn basic(text: &[u8], start: usize) -> Option<Finding> {
    let length = text[start..]
        .iter()
        .take(1024)
        .take_while(|b| b.is_ascii_alphanumeric() || b"+/-_".contains(b))
        .count();
    let decoded = decode(&text[start..start + length]).filter(|_| length >= 8)?;
    let colon = decoded.iter().position(|b| *b == b':')?;
    let readable = decoded.iter().all(|b| (b' '..=b'~').contains(b) || *b >= 0x80);
    let padding = text[start + length..].iter().take(2).take_while(|b| **b == b'=').count();
    (colon > 0 && readable).then_some(Finding { rule: "authorization", start, end: start + length + padding })
}

static COOKIE: Index<1> = Index::folded(["cookie"]);

/// Parts of a `Set-Cookie` header that are not cookies.
const ATTRIBUTES: [&[u8]; 9] = [
    b"path",
    b"domain",
    b"expires",
    b"max-age",
    b"samesite",
    b"priority",
    b"version",
    b"comment",
    b"partitioned",
];

/// The longest header that is read: browsers send no more.
const MAX_COOKIE_BYTES: usize = 8192;

/// Finds the values in `Cookie:` and `Set-Cookie:` headers and `--cookie` arguments.
pub(super) fn detect_cookies(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    COOKIE.each(text, |_, at| {
        let behind = at + b"cookie".len();
        let pairs = behind + text[behind..].iter().take(6).take_while(|b| b"\"'\\ :=".contains(b)).count();
        if pairs > behind && at >= done {
            done = read_pairs(text, pairs, found);
        }
    });
}

/// Reads the pairs of the header at `start`. Returns where it ends.
fn read_pairs(text: &[u8], start: usize, found: &mut Vec<Finding>) -> usize {
    let header =
        text[start..].iter().take(MAX_COOKIE_BYTES).take_while(|b| !b"\r\n\"'\\".contains(b)).count();
    let end = start + header;
    let mut at = start;
    for pair in text[start..end].split(|&b| b == b';') {
        let from = at;
        at += pair.len() + 1;
        let Some(equals) = pair.iter().position(|&b| b == b'=') else { continue };
        let name = pair[..equals].trim_ascii();
        let value = pair[equals + 1..].trim_ascii_end();
        let is_name =
            !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b));
        let attribute = ATTRIBUTES.iter().any(|attribute| name.eq_ignore_ascii_case(attribute));
        // Code has a space after the operator, a header has none.
        let spaced = value.first().is_some_and(u8::is_ascii_whitespace);
        if is_name && !attribute && !spaced && is_secret(CredentialKind::Key, value, Notation::Literal) {
            let start = from + equals + 1;
            found.push(Finding { rule: "cookie", start, end: start + value.len() });
        }
    }
    end
}
