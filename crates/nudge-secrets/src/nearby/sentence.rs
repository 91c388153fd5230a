//! Credentials stated by the sentence around a name: "the API key is set to …", "… is the
//! password".

use super::super::finding::Finding;
use super::super::name::CredentialKind;
use super::super::phrase::is_ordinary;
use super::super::placeholder::is_placeholder;
use super::super::random::{is_excused, is_random};
use super::super::strength::{Strength, is_technical, is_word_and_number, strength};
use super::super::strength::{is_mixture, is_numbered as joins_number, says_where};
use super::super::surprise::surprise;
use super::{
    announces, has_number, is_composed_password, is_copula, is_dashed_number, is_issued, is_label, is_number,
    names_digest,
};

/// The credential that the sentence after a name states.
pub(in super::super) fn stated(text: &[u8], end: usize, weight: CredentialKind) -> Option<Finding> {
    // Inside a token the letters of a name are not a name.
    if text.get(end).is_some_and(|b| b"+/@&%$#~^".contains(b)) {
        return None;
    }
    let finding = |word: &Word| Finding { rule: "stated", start: word.start, end: word.end };
    let mut previous: &[u8] = b"";
    // The word before, or before the sign of an assignment.
    let mut named: &[u8] = b"";
    for word in after(text, end, MAX_DISTANCE) {
        let value = &text[word.start..word.end];
        let fits = match weight {
            CredentialKind::Password | CredentialKind::Passphrase if is_placeholder(value) => false,
            CredentialKind::Password | CredentialKind::Passphrase => {
                let uuid = value.contains(&b'-') && value.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
                let stated = previous.is_empty() || previous.ends_with(b":") || previous.ends_with(b",");
                let numbered = is_word_and_number(value) || joins_number(value, 3) && !is_technical(value);
                let quoted = is_quoted(text, &word) && is_mixture(value) && !is_technical(value);
                let mixed = is_mixture(value) && value.len() >= 8 && !is_technical(value);
                let said = is_copula(previous)
                    && (is_composed_password(value) || numbered && has_number(value) || mixed);
                strength(value) > Strength::Plain
                    || stated && (is_issued(value) && !uuid || numbered)
                    || quoted
                    || said
            }
            CredentialKind::Vague => false,
            CredentialKind::Key | CredentialKind::Phrase
                if strength(value) == Strength::Strong && is_owned(text, end) =>
            {
                true
            }
            CredentialKind::Key | CredentialKind::Phrase => {
                // A digest after the name of a key is a key; for other words, nothing may excuse
                // them.
                let hex = value.iter().all(u8::is_ascii_hexdigit);
                is_issued(value) && !names_digest(named) && (hex || !is_excused(text, word.start, word.end))
            }
            CredentialKind::Pin => {
                (is_number(value) || is_dashed_number(value) || is_label(value)) && announces(previous)
            }
        };
        if fits {
            return Some(finding(&word));
        }
        if weight != CredentialKind::Pin && says_where(previous, value) {
            return None;
        }
        if weight == CredentialKind::Pin
            && let Some(end) = second_half(text, &word, previous)
        {
            return Some(Finding { end, ..finding(&word) });
        }
        previous = &text[word.start..word.closed];
        if !matches!(previous, b"=" | b":") {
            named = previous;
        }
    }
    if !weight.is_chosen() {
        return None;
    }
    plain(text, end).or_else(|| prompted(text, end)).map(|word| finding(&word))
}

/// Whether the name is directly followed by "'s" or "is": "my token's …".
fn is_owned(text: &[u8], end: usize) -> bool {
    [&b"'s "[..], b" is ", b" is: ", b" was ", "\u{2019}s ".as_bytes()]
        .iter()
        .any(|verb| text[end..].starts_with(verb))
}

/// Whether the word is in quotes, as literal values are; backticks are for code.
fn is_quoted(text: &[u8], word: &Word) -> bool {
    let opened = word.start.checked_sub(1).map(|at| text[at]).filter(|b| b"\"'".contains(b));
    opened.is_some() && opened == text.get(word.end).copied() && word.end - word.start >= 8
}

/// A password before its name: "try … as the password", "… is the password".
pub(in super::super) fn stated_before(text: &[u8], start: usize) -> Option<Finding> {
    /// About half a sentence, in bytes.
    const BACK: usize = 60;
    let line = text[start.saturating_sub(BACK)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let from = start - line.len();
    // The first word may be cut off.
    let whole = from + line.iter().position(|b| *b == b' ').filter(|_| line.len() == BACK).unwrap_or(0);
    let names = |word: &Word| {
        let value = &text[word.start..word.end];
        let generated = || {
            is_random(value)
                && surprise(value) >= 8.0
                && value.len() >= 12
                && !is_excused(text, word.start, word.end)
        };
        let strength = strength(value);
        word.end < start && (strength == Strength::Strong || strength == Strength::Mixed && generated())
    };
    let word = after(text, whole, start - whole).find(names)?;
    Some(Finding { rule: "stated", start: word.start, end: word.end })
}

/// A password that the sentence states directly, whatever it looks like: "the password is …,",
/// "пароль: …".
fn plain(text: &[u8], end: usize) -> Option<Word> {
    let colon = text[end..].iter().take(4).take_while(|b| b" :=".contains(b)).count();
    let marked = text[end..end + colon].iter().any(|b| b":=".contains(b));
    let mut words = after(text, end + if marked { colon } else { 0 }, 48);
    let mut word = words.next()?;
    // For other languages there is no list of words that sentences continue with. Dutch has the
    // verb of English.
    let name = &text[end.saturating_sub(10)..end];
    let mut foreign = name.eq_ignore_ascii_case(b"wachtwoord");
    if !marked {
        foreign |= matches!(&text[word.start..word.end], b"ist" | b"est" | b"es")
            || matches!(text[word.start], 0xc3..=0xc5);
        let said = match &text[word.start..word.end] {
            b"is" | b"was" | b"ist" | b"lautet" | b"est" | b"es" => true,
            b"to" => is_set_before(text, end),
            // \u{e3}\u{81}\u{af}: the Japanese "is" and its Chinese equivalent, before a space.
            other => (2..=6).contains(&other.len()) && other.iter().all(|b| *b >= 0x80),
        };
        word = words.next().filter(|_| said)?;
    }
    let value = &text[word.start..word.end];
    let ends_clause = word.closed > word.end || word.closed == text.len() || text[word.closed] == b'\n';
    let letters = value.iter().all(u8::is_ascii_alphabetic) && (6..=32).contains(&value.len());
    let numbered = is_word_and_number(value);
    let said = numbered && !is_placeholder(value)
        || letters && ends_clause && !marked && !foreign && !is_ordinary(value);
    said.then_some(word)
}

/// What was typed or shown at the end of a line that names the user or the place:
/// `Password for …: …`.
fn prompted(text: &[u8], end: usize) -> Option<Word> {
    let line = &text[end..text.len().min(end + MAX_DISTANCE)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let colon = line.windows(2).rposition(|pair| pair == b": ")?;
    let value = line[colon + 2..].trim_ascii();
    let single = value.len() >= 5 && !value.iter().any(u8::is_ascii_whitespace);
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    let fits = if letters { line.starts_with(b" for ") && !is_ordinary(value) } else { is_mixture(value) };
    let named = line[..colon].windows(5).any(|word| word == b" for ");
    let start = end + line.len() - line[colon + 2..].trim_ascii_start().len();
    (single && fits && named && !is_placeholder(value)).then_some(Word {
        start,
        end: start + value.len(),
        closed: start + value.len(),
    })
}

/// Whether a verb of setting comes shortly before: "sets the root password to …".
fn is_set_before(text: &[u8], end: usize) -> bool {
    let before = text[end.saturating_sub(64)..end].to_ascii_lowercase();
    [&b"set "[..], b"sets ", b"change", b"reset ", b"defaults ", b"setting "]
        .iter()
        .any(|verb| before.windows(verb.len()).any(|window| window == *verb))
}

/// The end of a code that is written in two halves: `482 913`.
fn second_half(text: &[u8], word: &Word, previous: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take(5).take_while(|b| b.is_ascii_digit()).count();
    let (first, second) = (digits(word.start), text.get(word.end + 1).map_or(0, |_| digits(word.end + 1)));
    let halves = word.end - word.start == first && text.get(word.end) == Some(&b' ') && first == second;
    (halves && (3..=4).contains(&first) && announces(previous)).then_some(word.end + 1 + second)
}

/// How far a sentence is followed after a name, in bytes.
pub(super) const MAX_DISTANCE: usize = 140;

/// One word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub start: usize,
    /// The end of the word itself, without punctuation.
    pub end: usize,
    /// The end of the punctuation after it.
    pub closed: usize,
}

/// The words after `from`, up to the end of the line and no further than `reach`.
///
/// A line that ends with a colon continues on the next one. Punctuation of code ends the sentence.
pub(super) fn after(text: &[u8], from: usize, reach: usize) -> impl Iterator<Item = Word> {
    let limit = text.len().min(from + reach);
    let mut at = from;
    let mut colon = false;
    std::iter::from_fn(move || {
        while at < limit && (text[at].is_ascii_whitespace() || OPENING.contains(&text[at])) {
            if text[at] == b'\n' && !colon {
                return None;
            }
            at += 1;
        }
        let start = at;
        while at < limit && !text[at].is_ascii_whitespace() {
            at += 1;
        }
        // A word that `reach` would cut is read to its end, within reason.
        while at < text.len() && at < limit + 64 && !text[at].is_ascii_whitespace() {
            at += 1;
        }
        if start >= at || is_code(&text[start..at]) {
            return None;
        }
        let closing = text[start..at].iter().rev().take_while(|b| CLOSING.contains(b)).count();
        let end = at - closing;
        colon = text[at - 1] == b':' || (colon && start == at);
        Some(Word { start, end: without_extension(text, start, end), closed: at })
    })
}

const OPENING: &[u8] = b"\"'`([*-,;|";

const CLOSING: &[u8] = b"\"'`)],.;:*|";

/// Whether no sentence would have this word.
fn is_code(word: &[u8]) -> bool {
    word.iter().any(|b| b"{}<>\\".contains(b))
        || matches!(word, b"=>" | b"->" | b"==" | b"//" | b"&&" | b"||")
}

/// The extension of a file name is not part of the value.
fn without_extension(text: &[u8], start: usize, end: usize) -> usize {
    let word = &text[start..end];
    match word.iter().rposition(|b| *b == b'.') {
        Some(dot) if word.len() - dot <= 5 && word[dot + 1..].iter().all(u8::is_ascii_lowercase) => {
            start + dot
        }
        _ => end,
    }
}
