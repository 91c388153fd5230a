//! The output of commands that print a credential.
//!
//! `pwgen`, `openssl rand`, `cat ~/.token`: lines after the command that are a single word.

use super::finding::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::strength::is_mixture;
use super::token::{Classes, begins, distinct};

/// Commands, by the words that show what they print.
static COMMANDS: Index<42> = Index::exact([
    "item get",
    "auth:token",
    "wg genkey",
    "wg genpsk",
    "get-access-token",
    "output -raw",
    "-field=",
    "gopass show",
    "secret-tool lookup",
    "bw get",
    "get password",
    "get_password",
    "security find-internet-password",
    "token create",
    "create-token",
    "generate-secret",
    "keyring get",
    "pwgen",
    "openssl rand",
    "makepasswd",
    "xkcdpass",
    "apg ",
    "diceware",
    "token_hex",
    "token_urlsafe",
    "generate-password",
    "print-access-token",
    "print-identity-token",
    "auth token",
    "get-token",
    "get-login-password",
    "get secret",
    "kv get",
    "pass show",
    "find-generic-password",
    "op read",
    "secrets versions access",
    "get-secret-value",
    "/.token",
    "/.password",
    "/.secret",
    "initialAdminPassword",
]);

/// How far the end of the command's line is searched.
const MAX_DISTANCE: usize = 200;

/// The longest line that is read: some tokens contain a whole document.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// The most lines that are read after a command.
const MAX_LINES: usize = 4;

/// Finds the single words on the lines after such a command.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    COMMANDS.each(text, |number, at| {
        if at < done || text[at].is_ascii_alphanumeric() && !begins(text, at) {
            return;
        }
        let end = at + COMMANDS.length(number);
        let Some(line) = text[end..].iter().take(MAX_DISTANCE).position(|b| *b == b'\n') else { return };
        done = lines(text, end + line + 1, found);
    });
}

fn lines(text: &[u8], start: usize, found: &mut Vec<Finding>) -> usize {
    let mut at = start;
    for _ in 0..MAX_LINES {
        let Some(rest) = text.get(at..) else { break };
        let length = rest
            .iter()
            .take(MAX_LINE_BYTES)
            .position(|b| *b == b'\n')
            .unwrap_or(rest.len().min(MAX_LINE_BYTES));
        let word = rest[..length].trim_ascii();
        // Fields that were requested together.
        let word = word.rsplit(|b| *b == b',').next().unwrap_or(word);
        if !is_credential(word) {
            break;
        }
        let from = at + rest[..length].trim_ascii_end().len() - word.len();
        found.push(Finding { rule: "printed", start: from, end: from + word.len() });
        at += length + 1;
    }
    at
}

fn is_credential(word: &[u8]) -> bool {
    let classes = Classes::of(word);
    let mixed = is_mixture(word) || classes.digits > 0 && classes.letters() > 0;
    let single = !word.iter().any(|b| b.is_ascii_whitespace() || b"({}<>\"'".contains(b));
    word.len() >= 8
        && single
        && mixed
        && distinct(word) >= 5
        && !word.starts_with(b"/")
        && !is_placeholder(word)
}
