//! Values of cookie headers.

use super::Finding;
use super::keyword::Index;
use super::name::CredentialKind;
use super::setting::Notation;
use super::value::is_secret;

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
const LONGEST: usize = 8192;

/// Finds the values in `Cookie:` and `Set-Cookie:` headers and `--cookie` arguments.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
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
    let header = text[start..].iter().take(LONGEST).take_while(|b| !b"\r\n\"'\\".contains(b)).count();
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
