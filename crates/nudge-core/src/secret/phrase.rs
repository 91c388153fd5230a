//! Passphrases: passwords of several words.

use super::name::Weight;
use super::prose::{is_function, is_ordinary};
use super::token::find;
use super::value::{Setting, is_mixture};

/// Longest passphrase.
const LONGEST: usize = 96;

/// Whether a value with spaces is a credential under a name of this weight.
pub(super) fn is_phrase(weight: Weight, value: &[u8], setting: Setting) -> bool {
    match weight {
        Weight::Phrase => {
            let words = words(value);
            (12..=24).contains(&words.len())
                && words.iter().all(|word| word.iter().all(u8::is_ascii_lowercase))
        }
        Weight::Passphrase => {
            is_odd(value) || is_words(value) || setting == Setting::Literal && is_noise(value)
        }
        Weight::Password => {
            is_odd(value)
                || setting == Setting::Literal && (is_words(value) || is_pair(value) || is_noise(value))
        }
        Weight::Key => setting == Setting::Literal && (is_noise(value) || is_groups(value)),
        Weight::Pin => is_groups(value),
        Weight::Vague => false,
    }
}

/// Where a passphrase without quotes ends that begins at `start`: with its clause.
pub(super) fn clause_end(text: &[u8], start: usize) -> usize {
    let line = &text[start..text.len().min(start + LONGEST + 1)];
    let end = line.iter().position(|b| b"\n\r\"'`;()<>{}\\".contains(b)).unwrap_or(line.len());
    let clause = [&b", "[..], b". ", b" - ", b" \xe2\x80\x93 "]
        .iter()
        .filter_map(|mark| find(&line[..end], mark, 0))
        .min();
    let end = clause.unwrap_or(end);
    start + line[..end].trim_ascii_end().strip_suffix(b".").unwrap_or(line[..end].trim_ascii_end()).len()
}

fn words(value: &[u8]) -> Vec<&[u8]> {
    value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}

/// A few words, one of them a password by itself.
fn is_odd(value: &[u8]) -> bool {
    let words = words(value);
    let plain = |word: &&&[u8]| word.iter().all(u8::is_ascii_lowercase);
    value.len() <= 64
        && (2..=4).contains(&words.len())
        && words.iter().any(|word| is_mixture(word))
        && words.iter().filter(plain).count() < 3
}

/// Three to ten words that make no sentence.
fn is_words(value: &[u8]) -> bool {
    let words = words(value);
    let fits = |word: &&[u8]| {
        let sound = word.iter().all(|b| b.is_ascii_alphanumeric() || b"-'!*&".contains(b) || *b >= 0x80);
        sound && word.len() <= 16 && !is_function(&word.to_ascii_lowercase())
    };
    let sentence = matches!(value.last(), Some(b'.' | b'?' | b':' | b','));
    let speaks = ["password", "passphrase", "secret", "token", "login", "invalid", "required", "characters"]
        .iter()
        .any(|word| find(&value.to_ascii_lowercase(), word.as_bytes(), 0).is_some());
    let numbered = words.iter().any(|word| word.iter().all(u8::is_ascii_digit));
    let least = if numbered { 2 } else { 3 };
    value.len() <= LONGEST
        && (least..=10).contains(&words.len())
        && words.iter().all(fits)
        && !sentence
        && !speaks
}

/// Two words that no sentence about passwords has.
fn is_pair(value: &[u8]) -> bool {
    let words = words(value);
    let fits = |word: &&[u8]| {
        word.len() >= 3
            && word.iter().all(u8::is_ascii_alphanumeric)
            && !is_ordinary(word)
            && word[1..].iter().all(|b| !b.is_ascii_uppercase())
    };
    words.len() == 2 && value.len() <= 40 && words.iter().all(fits) && is_words_plain(value)
}

fn is_words_plain(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    !["passwor", "kennwort", "secret", "token", "login", "mot ", "contrase", "clave"]
        .iter()
        .any(|word| find(&lower, word.as_bytes(), 0).is_some())
}

/// Characters of every kind with spaces among them, as generators of site keys write them.
fn is_noise(value: &[u8]) -> bool {
    let marks = value.iter().filter(|b| b.is_ascii_punctuation()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let spaces = value.iter().filter(|b| **b == b' ').count();
    value.len() >= 20 && marks * 8 >= value.len() && digits >= 2 && spaces * 6 <= value.len() && !calls(value)
}

/// Whether it is code: calls and indices have their brackets beside names.
fn calls(value: &[u8]) -> bool {
    [&b"()"[..], b").", b"](", b"${", b" + "].iter().any(|mark| find(value, mark, 0).is_some())
}

/// Groups of letters and digits: a seed as authenticators show it.
fn is_groups(value: &[u8]) -> bool {
    let words = words(value);
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let first = words.first().map_or(0, |word| word.len());
    (2..=16).contains(&words.len())
        && (2..=8).contains(&first)
        && digits >= 2
        && words.iter().all(|word| word.len() == first && word.iter().all(u8::is_ascii_alphanumeric))
}
