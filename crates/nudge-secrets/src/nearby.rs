//! Passwords, codes and keys in the words around a name, where nothing assigns them.
//!
//! "Password for the elastic user (reset with …):" and the value on the next line, "log in as admin
//! / …", "the API key is set to …", "the PIN, it's …". A name is followed for the rest of its
//! sentence, and a word on the way that looks like a credential is one.

mod judge;
mod login;
mod sentence;
mod words;

use super::Finding;
use super::budget::Window;
use super::keyword::Index;
use super::name::CredentialKind;
use super::token::begins;
use login::{called, of_user, paired};

pub(super) use sentence::{stated, stated_before};

/// Names of passwords outside ASCII, and phrases about logging in.
static WORDS: Index<19> = Index::folded([
    "login",
    "log in",
    "logged in",
    "sign in",
    "signin",
    "credential",
    "creds",
    "zugangsdaten",
    "anmeld",
    "account",
    "auth",
    "connect",
    "admin",
    "root",
    "has\u{142}o",
    "l\u{f6}senord",
    "contrase\u{f1}a",
    "mot de passe",
    "key ",
]);

/// The index of the first of `WORDS` that names a password; those before it are only about logging
/// in.
const FIRST_PASSWORD: usize = 14;
/// The index of the first of `WORDS` that is a user on every system.
const FIRST_USER: usize = 12;

/// The index of the last of `WORDS` that is an act of logging in.
const LAST_LOGIN: usize = 4;

/// The index of the last of `WORDS`: in a sentence, a key of any kind.
const KEY: usize = 18;

/// Finds credentials next to words that are not names.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    let mut window = Window::new();
    WORDS.each(text, |number, at| {
        // `getConnection`: a word begins at the capital too.
        let seam = at > 0 && text[at].is_ascii_uppercase() && text[at - 1].is_ascii_lowercase();
        let begun = begins(text, at) || seam && number < FIRST_USER;
        if at < done || !begun || !window.admits(at) {
            return;
        }
        if seam {
            found.extend(called(text, at + WORDS.length(number), number <= LAST_LOGIN));
            return;
        }
        let end = at + WORDS.length(number);
        done = end;
        // In the name of a file or a function the word says nothing.
        let user = (FIRST_USER..FIRST_PASSWORD).contains(&number);
        if text.get(end).is_some_and(|b| b.is_ascii_digit() || b"_.-".contains(b) || *b == b'/' && !user) {
            return;
        }
        if number == KEY {
            // Key fingerprints are hexadecimal.
            let hex = |finding: &Finding| text[finding.start..finding.end].iter().all(u8::is_ascii_hexdigit);
            let before = text[at.saturating_sub(8)..at].to_ascii_lowercase();
            let public = before.ends_with(b"public ") || before.ends_with(b"pub ");
            found.extend(
                stated(text, end - 1, CredentialKind::Key).filter(|finding| !hex(finding) && !public),
            );
        } else if number >= FIRST_PASSWORD {
            found.extend(stated(text, end, CredentialKind::Password));
        } else if number >= FIRST_USER {
            found.extend(of_user(text, end));
        } else {
            // The word continues: `authorization`, `connecting`.
            let rest = text[end..].iter().take(24).take_while(|b| b.is_ascii_alphabetic()).count();
            found.extend(called(text, end, number <= LAST_LOGIN).or_else(|| paired(text, end + rest)));
        }
    });
}
