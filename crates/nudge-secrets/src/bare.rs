//! Passwords without a name: upper and lower case, digits and punctuation in one word.

use super::finding::Finding;
use super::strength::{Strength, strength};
use super::token::Classes;

/// The longest word that is checked; longer ones are addresses and code.
const MAX_WORD_BYTES: usize = 40;

/// Finds such words between white space or quotes.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        if divides(text[at]) {
            at += 1;
            continue;
        }
        let length = text[at..].iter().take_while(|b| !divides(**b)).count();
        let word = &text[at..at + length];
        let closing = word.iter().rev().take_while(|b| b",.;:)".contains(b)).count();
        let word = &word[..length - closing];
        if (9..=MAX_WORD_BYTES).contains(&word.len()) && is_password(word, || is_behind_user(text, at)) {
            found.push(Finding { rule: "bare-password", start: at, end: at + word.len() });
        }
        at += length;
    }
}

fn divides(b: u8) -> bool {
    b.is_ascii_whitespace() || b"\"'`".contains(&b)
}

/// All four kinds of characters, with punctuation that neither code nor addresses have between
/// letters. Behind a user even the form of a name of something is one.
fn is_password(word: &[u8], behind_user: impl Fn() -> bool) -> bool {
    let classes = Classes::of(word);
    if classes.lower < 2 || classes.upper == 0 || classes.digits == 0 || classes.others == 0 {
        return false;
    }
    let plain = word.iter().all(|b| b.is_ascii_alphanumeric() || b"!#%^*~&@+?_-$".contains(b));
    let last = word[word.len() - 1];
    let inner = word[1..word.len() - 1].iter().filter(|b| b"!#%^*~&@$".contains(b)).count();
    // A sentence ends with one of these too; a second digit shows that this is not one.
    let closing = matches!(last, b'!' | b'?') && classes.digits >= 2;
    let first = word[0].is_ascii_alphabetic() || word[0].is_ascii_digit() && classes.digits >= 2;
    plain
        && first
        && (inner > 0 || closing)
        && strength(word) == Strength::Strong
        && (!is_reference(word) && !is_arithmetic(word) || behind_user())
}

/// Whether a user and a slash are before it, as people write both in a sentence: "with marta / …".
fn is_behind_user(text: &[u8], at: usize) -> bool {
    /// Words before a user, in several languages.
    #[rustfmt::skip]
    const WITH: [&[u8]; 22] = [
        b"with", b"as", b"using", b"user", b"login", b"are", b"mit", b"als", b"sind", b"met", b"zijn", b"avec", b"con", b"com", b"come", b"como", b"jako", b"som", b"med",
        b"sont", b"son", b"gebruiker",
    ];
    /// The longest user, in bytes.
    const MAX_BYTES: usize = 40;
    let Some(before) = text[..at].strip_suffix(b" / ") else { return false };
    let in_user = |b: &&u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-@".contains(b);
    let length = before.iter().rev().take(MAX_BYTES).take_while(in_user).count();
    let Some(before) = before[..before.len() - length].strip_suffix(b" ").filter(|_| length >= 3) else {
        return false;
    };
    let word = before[before.len().saturating_sub(MAX_BYTES)..]
        .rsplit(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default();
    word.ends_with(b":") || WITH.contains(&&word.to_ascii_lowercase()[..])
}

/// Names of things with a mark in them: `File#L40`, `Package@1.2`, `Outer$1Inner`, `PR#12`.
fn is_reference(word: &[u8]) -> bool {
    let mark = word.iter().position(|b| b"#@$".contains(b));
    mark.is_some_and(|at| {
        let rest = &word[at + 1..];
        let before = &word[..at];
        let number = rest.strip_prefix(b"L").unwrap_or(rest);
        let names = before.iter().all(|b| b.is_ascii_alphabetic() || b"_-".contains(b));
        number.iter().all(|b| b.is_ascii_digit() || b"-L".contains(b))
            && names
            && (word[at] != b'#' || number.len() != 2)
            || word[at] == b'$'
                && rest.first().is_some_and(u8::is_ascii_alphanumeric)
                && !before.iter().any(u8::is_ascii_digit)
            || word[at] == b'@'
                && rest.first().is_some_and(|b| b.is_ascii_digit() || *b == b'v' || b.is_ascii_lowercase())
    })
}

/// Operators between names and numbers: `nbBytes*8`, `flags&0xff`, `2*Page_SIZE-1`, `Type~1`,
/// `Index**`.
fn is_arithmetic(word: &[u8]) -> bool {
    let Some(at) = word.iter().position(|b| b"*&%~".contains(b)) else { return false };
    let (before, rest) = (&word[..at], &word[at + 1..]);
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = digits > 0 && !rest.get(digits).is_some_and(u8::is_ascii_alphanumeric);
    let camel =
        before.first().is_some_and(u8::is_ascii_lowercase) && before.iter().any(u8::is_ascii_uppercase);
    let factor = word[at] == b'*' && before.iter().all(u8::is_ascii_digit);
    number && (digits == 1 || camel) || factor || rest.starts_with(b"0x") || word.ends_with(b"**")
}
