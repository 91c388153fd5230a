//! A user and a password next to each other: in a call, in a pair, after a well-known user.

use super::super::Finding;
use super::super::looks::is_mixture;
use super::super::random::is_excused;
use super::super::strength::{Strength, is_technical, strength};
use super::super::surprise::surprise;
use super::judge::is_composed_password;
use super::words::{REACH, after};

/// The text after a well-known user and a separator: `admin:…`, `root / …`.
pub(super) fn of_user(text: &[u8], end: usize) -> Option<Finding> {
    let marks = text[end..].iter().take(3).take_while(|b| b" :/|".contains(b)).count();
    let divided = text[end..end + marks].iter().any(|b| b":/|".contains(b));
    let word = after(text, end + marks, 1).next().filter(|word| divided && word.start == end + marks)?;
    let strength = strength(&text[word.start..word.end]);
    (strength > Strength::Plain).then_some(Finding { rule: "stated", start: word.start, end: word.end })
}

/// A call with user and password: `login("marta", "…")`, `auth=("marta", "…")`,
/// `connect(url, "marta", "…")`.
pub(super) fn called(text: &[u8], end: usize, opens: bool) -> Option<Finding> {
    /// The longest argument that is read, and the most arguments.
    const LONGEST: usize = 80;
    const MOST: usize = 5;
    let name =
        text[end..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || b"_ =".contains(b)).count();
    let mut at = end + name + 1;
    text.get(end + name).filter(|b| **b == b'(')?;
    for number in 0..MOST {
        at += text[at..].iter().take(32).take_while(|b| b.is_ascii_whitespace()).count();
        let quote = text.get(at).copied().filter(|b| b"\"'`".contains(b));
        let start = at + usize::from(quote.is_some());
        let length = text[start..].iter().take(LONGEST).position(|b| match quote {
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
pub(super) fn paired(text: &[u8], end: usize) -> Option<Finding> {
    let mut divided = false;
    for word in after(text, end, REACH) {
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
