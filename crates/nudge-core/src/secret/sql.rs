//! Passwords in statements to a database: `CREATE USER … IDENTIFIED BY '…'`.

use super::Finding;
use super::keyword::Index;
use super::name::Weight;
use super::strength::{Strength, strength};
use super::token::{begins, find};
use super::value::{Setting, is_secret, is_word_and_number, read};

static STATEMENTS: Index<2> = Index::folded(["identified ", "password for "]);

/// How far the password may stand behind the word, with the name of a plugin between.
const REACH: usize = 64;

/// Finds what a user is identified by.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    const LINKS: [&[&[u8]]; 2] =
        [&[b" by values ", b" by password ", b" by ", b" as ", b" using "], &[b" = password(", b" = "]];
    STATEMENTS.each(text, |number, at| {
        if begins(text, at) {
            found.extend(password(text, at + STATEMENTS.length(number) - 1, LINKS[number]));
        }
    });
}

fn password(text: &[u8], from: usize, links: &[&[u8]]) -> Option<Finding> {
    let lower = text[from..text.len().min(from + REACH)].to_ascii_lowercase();
    let line = lower.iter().position(|b| *b == b'\n').unwrap_or(lower.len());
    let (at, length) =
        links.iter().find_map(|link| find(&lower[..line], link, 0).map(|at| (at, link.len())))?;
    let span = read(text, from + at + length, b",;\"'`<>|()[]{}")?;
    let value = &text[span.start..span.end];
    // Things are identified by their names in prose, too.
    let fits = if span.quoted && text[span.start - 1] != b'`' {
        is_secret(Weight::Password, value, Setting::Literal)
    } else {
        strength(value) > Strength::Plain || is_word_and_number(value)
    };
    let fits = fits && is_statement(text, from);
    fits.then_some(Finding { rule: "sql-password", start: span.start, end: span.end })
}

/// Whether it is shouted, or a user is spoken of shortly before, as in `ALTER USER app IDENTIFIED BY …`.
fn is_statement(text: &[u8], from: usize) -> bool {
    /// About the beginning of a statement.
    const BEFORE: usize = 160;
    let before = text[from.saturating_sub(BEFORE)..from].to_ascii_lowercase();
    text[..from].ends_with(b"IDENTIFIED")
        || [&b"user "[..], b"role ", b"login ", b"grant ", b"set "]
            .iter()
            .any(|word| find(&before, word, 0).is_some())
}
