//! Passwords in statements to a database: `CREATE USER … IDENTIFIED BY '…'`.

use super::finding::Finding;
use super::finding::Notation;
use super::keyword::Index;
use super::name::{CredentialKind, credential_kind};
use super::placeholder::is_placeholder;
use super::strength::{Strength, is_word_and_number, strength};
use super::token::{begins, find};
use super::value::{is_secret, read};

static PASSWORD_CLAUSES: Index<2> = Index::folded(["identified ", "password for "]);

/// How far after the word the password may be, in bytes, with the name of a plugin between.
const MAX_DISTANCE: usize = 64;

/// Finds the password that identifies a user.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    const LINKS: [&[&[u8]]; 2] =
        [&[b" by values ", b" by password ", b" by ", b" as ", b" using "], &[b" = password(", b" = "]];
    PASSWORD_CLAUSES.each(text, |number, at| {
        if begins(text, at) {
            found.extend(password(text, at + PASSWORD_CLAUSES.length(number) - 1, LINKS[number]));
        }
    });
}

/// Finds values inserted into a password column:
/// `INSERT INTO users (name, password) VALUES ('a', '…'), …`.
pub(super) fn detect_inserted(text: &[u8], found: &mut Vec<Finding>) {
    const MAX_BYTES: usize = 4_096;
    INSERT_STATEMENTS.each(text, |number, at| {
        let from = at + INSERT_STATEMENTS.length(number);
        let limit = text.len().min(from + MAX_BYTES);
        let Some(open) = find(&text[..limit.min(from + 120)], b"(", from) else { return };
        let Some(close) = find(&text[..limit], b")", open) else { return };
        let columns = text[open + 1..close].split(|b| *b == b',');
        let wanted = columns.into_iter().position(|name| {
            let name =
                name.trim_ascii().iter().copied().filter(|b| !b"`\"[]".contains(b)).collect::<Vec<u8>>();
            matches!(
                credential_kind(&name),
                Some(
                    CredentialKind::Password
                        | CredentialKind::Passphrase
                        | CredentialKind::Key
                        | CredentialKind::Pin
                )
            )
        });
        let Some(wanted) = wanted else { return };
        let mut at = close + 1;
        while let Some(open) = find(&text[..limit], b"(", at) {
            let (end, value) = field(&text[..limit], open + 1, wanted);
            found.extend(
                value
                    .filter(|(start, end)| {
                        let value = &text[*start..*end];
                        value.len() >= 4
                            && !is_placeholder(value)
                            && is_secret(CredentialKind::Password, value, Notation::Literal)
                    })
                    .map(|(start, end)| Finding { rule: "sql-password", start, end }),
            );
            at = end + 1;
            let more = text[at.min(limit)..limit].iter().position(|b| !b.is_ascii_whitespace());
            if more.is_none_or(|step| text[at + step] != b',') {
                break;
            }
        }
    });
}

static INSERT_STATEMENTS: Index<2> = Index::folded(["insert into ", "replace into "]);

/// The field with that index in the row that begins at `from`, and where the row ends.
fn field(text: &[u8], from: usize, wanted: usize) -> (usize, Option<(usize, usize)>) {
    let (mut at, mut number, mut value) = (from, 0, None);
    while at < text.len() && text[at] != b')' {
        match text[at] {
            b',' => number += 1,
            b'\'' => {
                let start = at + 1;
                let length = text[start..].iter().position(|b| *b == b'\'').unwrap_or(text.len() - start);
                if number == wanted && value.is_none() {
                    value = Some((start, start + length));
                }
                at = start + length;
            }
            _ => {}
        }
        at += 1;
    }
    (at, value)
}

fn password(text: &[u8], from: usize, links: &[&[u8]]) -> Option<Finding> {
    let lower = text[from..text.len().min(from + MAX_DISTANCE)].to_ascii_lowercase();
    let line = lower.iter().position(|b| *b == b'\n').unwrap_or(lower.len());
    let (at, length) =
        links.iter().find_map(|link| find(&lower[..line], link, 0).map(|at| (at, link.len())))?;
    let span = read(text, from + at + length, b",;\"'`<>|()[]{}")?;
    let value = &text[span.start..span.end];
    // In prose, too, things are "identified by" their names.
    let fits = if span.quoted && text[span.start - 1] != b'`' {
        is_secret(CredentialKind::Password, value, Notation::Literal)
    } else {
        strength(value) > Strength::Plain || is_word_and_number(value)
    };
    let fits = fits && is_statement(text, from);
    fits.then_some(Finding { rule: "sql-password", start: span.start, end: span.end })
}

/// Whether it is in capitals, or a user is mentioned shortly before, as in
/// `ALTER USER app IDENTIFIED BY …`.
fn is_statement(text: &[u8], from: usize) -> bool {
    /// About the beginning of a statement, in bytes.
    const BEFORE: usize = 160;
    let before = text[from.saturating_sub(BEFORE)..from].to_ascii_lowercase();
    text[..from].ends_with(b"IDENTIFIED")
        || [&b"user "[..], b"role ", b"login ", b"grant ", b"set "]
            .iter()
            .any(|word| find(&before, word, 0).is_some())
}
