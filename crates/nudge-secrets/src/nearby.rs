//! Passwords, codes and keys in the words around a name, where nothing assigns them.
//!
//! "Password for the elastic user (reset with …):" and the value on the next line, "log in as admin
//! / …", "the API key is set to …", "the PIN, it's …". A name is followed for the rest of its
//! sentence, and a word on the way that looks like a credential is one.

mod sentence;

use super::finding::{Finding, Window};
use super::keyword::Index;
use super::name::CredentialKind;
use super::nearby::sentence::{MAX_DISTANCE, after};
use super::placeholder::is_placeholder;
use super::random::{is_excused, is_random};
use super::strength::{Strength, is_advisory, is_technical, strength};
use super::strength::{is_mixture, is_public};
use super::surprise::surprise;
use super::token::begins;
use super::token::{Classes, holds_digest};

pub(super) use sentence::{stated, stated_before};

/// Names of passwords outside ASCII, and phrases about logging in.
static LOGIN_WORDS: Index<19> = Index::folded([
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

/// The index of the first of `LOGIN_WORDS` that names a password; those before it are only about
/// logging in.
const FIRST_PASSWORD: usize = 14;

/// The index of the first of `LOGIN_WORDS` that is a user on every system.
const FIRST_USER: usize = 12;

/// The index of the last of `LOGIN_WORDS` that is an act of logging in.
const LAST_LOGIN: usize = 4;

/// The index of the last of `LOGIN_WORDS`: in a sentence, a key of any kind.
const KEY_WORD: usize = 18;

/// Finds credentials next to words that are not names.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    let mut window = Window::new();
    LOGIN_WORDS.each(text, |number, at| {
        // `getConnection`: a word begins at the capital too.
        let seam = at > 0 && text[at].is_ascii_uppercase() && text[at - 1].is_ascii_lowercase();
        let begun = begins(text, at) || seam && number < FIRST_USER;
        if at < done || !begun || !window.admits(at) {
            return;
        }
        if seam {
            found.extend(called(text, at + LOGIN_WORDS.length(number), number <= LAST_LOGIN));
            return;
        }
        let end = at + LOGIN_WORDS.length(number);
        done = end;
        // In the name of a file or a function the word says nothing.
        let user = (FIRST_USER..FIRST_PASSWORD).contains(&number);
        if text.get(end).is_some_and(|b| b.is_ascii_digit() || b"_.-".contains(b) || *b == b'/' && !user) {
            return;
        }
        if number == KEY_WORD {
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

// A user and a password next to each other: in a call, in a pair, after a well-known user.

/// The text after a well-known user and a separator: `admin:…`, `root / …`.
fn of_user(text: &[u8], end: usize) -> Option<Finding> {
    let marks = text[end..].iter().take(3).take_while(|b| b" :/|".contains(b)).count();
    let divided = text[end..end + marks].iter().any(|b| b":/|".contains(b));
    let word = after(text, end + marks, 1).next().filter(|word| divided && word.start == end + marks)?;
    let strength = strength(&text[word.start..word.end]);
    (strength > Strength::Plain).then_some(Finding { rule: "stated", start: word.start, end: word.end })
}

/// A call with user and password: `login("marta", "…")`, `auth=("marta", "…")`,
/// `connect(url, "marta", "…")`.
fn called(text: &[u8], end: usize, opens: bool) -> Option<Finding> {
    /// The longest argument that is read, and the most arguments.
    const MAX_BYTES: usize = 80;
    const MAX_ARGUMENTS: usize = 5;
    let name =
        text[end..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || b"_ =".contains(b)).count();
    let mut at = end + name + 1;
    text.get(end + name).filter(|b| **b == b'(')?;
    for number in 0..MAX_ARGUMENTS {
        at += text[at..].iter().take(32).take_while(|b| b.is_ascii_whitespace()).count();
        let quote = text.get(at).copied().filter(|b| b"\"'`".contains(b));
        let start = at + usize::from(quote.is_some());
        let length = text[start..].iter().take(MAX_BYTES).position(|b| match quote {
            Some(quote) => *b == quote,
            None => b",()\n".contains(b),
        })?;
        let value = &text[start..start + length];
        let chosen = value.len() >= 8 && is_mixture(value) && !is_technical(value);
        let single = quote.is_some() && !value.iter().any(u8::is_ascii_whitespace);
        // Hosts and clusters are numbered words too, but nobody logs in with them.
        let chosen = chosen || opens && is_composed_password(value);
        if number > 0 && single && (chosen || strength(value) > Strength::Plain) {
            return Some(Finding { rule: "stated", start, end: start + length });
        }
        at = start + length + usize::from(quote.is_some());
        at += text.get(at).filter(|b| **b == b',').map(|_| 1)?;
    }
    None
}

/// A name and a password next to each other: `admin / …`, `admin:…`.
fn paired(text: &[u8], end: usize) -> Option<Finding> {
    let mut divided = false;
    for word in after(text, end, MAX_DISTANCE) {
        let value = &text[word.start..word.end];
        if let Some(mark) = value.iter().position(|b| b"/:".contains(b)).filter(|at| *at >= 2) {
            let (user, secret) = (&value[..mark], &value[mark + 1..]);
            let name = user.iter().all(|b| b.is_ascii_alphanumeric() || b"_.@-".contains(b));
            if name && strength(secret) > Strength::Plain {
                return Some(Finding { rule: "stated", start: word.start + mark + 1, end: word.end });
            }
        }
        let strength = strength(value);
        let generated = strength == Strength::Mixed
            && value.len() >= 12
            && surprise(value) >= 8.0
            && !is_excused(text, word.start, word.end);
        if strength == Strength::Strong || divided && strength == Strength::Mixed || generated {
            return Some(Finding { rule: "stated", start: word.start, end: word.end });
        }
        divided = matches!(value, b"/" | b"|" | b":" | b"with" | b"using" | b"pass" | b"pw");
    }
    None
}

// Whether a word next to a name is the password, key or code that the name announces.

/// Whether the word links a name to its value: "lautet", "is", "é".
fn is_copula(word: &[u8]) -> bool {
    let copula: [&str; 19] = [
        "s", "は", "是", "为", "이", "is", "was", "=", "ist", "lautet", "est", "es", "é", "è", "är", "er",
        "jest", "to:", "это",
    ];
    copula.iter().any(|copula| word == copula.as_bytes())
}

/// Words and numbers joined as in no text but a password: `kAffee-um-halb8`, `roter.bus.42`.
fn is_composed_password(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let file = value.rsplit(|b| *b == b'.').next().is_some_and(|end| !end.iter().any(u8::is_ascii_digit));
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b) || *b >= 0x80;
    (10..=40).contains(&value.len())
        && value.iter().all(plain)
        && value.iter().any(|b| b"-_.".contains(b))
        && !(value.contains(&b'.') && file)
        && has_number(value)
        && classes.letters() >= classes.digits * 2
        && !value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"-_".contains(b))
        && value[0].is_ascii_alphabetic()
        && !is_placeholder(value)
}

/// Whether it has two digits in a row; a single one is a version number.
fn has_number(value: &[u8]) -> bool {
    value.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit))
}

/// A word that only a program issues.
fn is_issued(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    if hex {
        return value.len() >= 24 && classes.digits > 0 && classes.letters() > 0;
    }
    let base32 = value.len() >= 16
        && classes.digits > 0
        && value.iter().all(|b| matches!(b, b'A'..=b'Z' | b'2'..=b'7'));
    if base32 {
        return true;
    }
    let file = value.contains(&b'/') && value.contains(&b'.');
    let public = is_public(value.strip_prefix(b"=").unwrap_or(value));
    if file || public || holds_digest(value) || is_pointer(value) || is_advisory(&value.to_ascii_lowercase())
    {
        return false;
    }
    let address = value.iter().any(|b| b":#@?&".contains(b));
    let joined = address || classes.others * 6 > value.len();
    value.len() >= 16 && classes.digits > 0 && !joined && is_random(value) && surprise(value) >= 10.0
}

/// An address in memory, as debuggers print it: `tok=0x563e0cbb2010`.
fn is_pointer(value: &[u8]) -> bool {
    let value = value.iter().position(|b| *b == b'=').map_or(value, |at| &value[at + 1..]);
    value
        .strip_prefix(b"0x")
        .is_some_and(|digits| (1..=16).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit))
}

/// Whether the word before says that a digest or an identifier follows.
fn names_digest(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const NAMES: [&[u8]; 24] = [
        b"commit", b"sha", b"sha1", b"sha256", b"md5", b"rev", b"revision", b"hash", b"digest", b"checksum", b"id", b"image", b"tag",
        b"fingerprint", b"blob", b"object", b"etag", b"revert", b"trace", b"build", b"session", b"request", b"from", b"in",
    ];
    let word = word.strip_suffix(b":").unwrap_or(word).to_ascii_lowercase();
    NAMES.contains(&&word[..]) || word.ends_with(b"_id") || word.ends_with(b"id=")
}

/// Digits in the form of a PIN or a code.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"#").unwrap_or(value);
    let year = value.len() == 4 && (value.starts_with(b"19") || value.starts_with(b"20"));
    (4..=10).contains(&value.len()) && value.iter().all(u8::is_ascii_digit) && !year
}

/// Digits in two or three short groups: `4711-0815`. A date begins with its year.
fn is_dashed_number(value: &[u8]) -> bool {
    let groups = value.split(|b| *b == b'-');
    let short = |group: &[u8]| (2..=4).contains(&group.len()) && group.iter().all(u8::is_ascii_digit);
    let date = value.starts_with(b"19") || value.starts_with(b"20");
    (2..=3).contains(&groups.clone().count()) && groups.clone().all(short) && !date && value.len() >= 6
}

/// Capitals and digits in groups, as codes are printed: `A7X9-22KQ`.
fn is_label(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let plain = value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'-');
    plain && value.len() >= 6 && classes.upper >= 2 && classes.digits >= 2
}

/// Whether the word before a number introduces it: nothing, a verb or a colon.
fn announces(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    matches!(&lower[..], b"" | b"is" | b"it's" | b"its" | b"was" | b"=" | b":" | b"code" | b"ist" | b"to")
        || lower.ends_with(b":")
}
