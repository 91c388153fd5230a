//! Judges whether the value of a name is a credential.

use super::finding::Notation;
use super::name::{CredentialKind, credential_kind};
use super::phrase::{is_listed, is_phrase};
use super::placeholder::is_placeholder;
use super::random::{is_identifier_of_thing, is_random};
use super::strength::{
    Strength, is_dotted_password, is_measure, is_mixture, is_numbered, is_public, is_technical,
    names_password, strength, switches,
};
use super::surprise::surprise;
use super::token::{Classes, find, holds_digest};

/// The shortest value that counts; shorter ones are words, numbers and flags.
const MIN_VALUE_BYTES: usize = 8;

/// The shortest password with letters and something else, written as data.
const MIN_MIXED: usize = 5;

/// The shortest password of one kind of characters, written as data.
const MIN_WORD: usize = 6;

/// The longest value under a vague name; a longer one is a document.
const MAX_VAGUE: usize = 128;

/// Whether the value assigned to a name of this weight is a credential.
pub(super) fn is_secret(weight: CredentialKind, value: &[u8], setting: Notation) -> bool {
    if weight == CredentialKind::Phrase || value.iter().any(u8::is_ascii_whitespace) {
        return is_phrase(weight, value, setting);
    }
    if weight == CredentialKind::Vague {
        return setting == Notation::Literal && is_unmistakable(value);
    }
    if weight == CredentialKind::Pin {
        let spoken = setting != Notation::Literal && value.iter().any(|b| !b.is_ascii_digit());
        return is_pin(value) && !spoken || setting == Notation::Literal && is_generated(value);
    }
    let fits = (shortest(weight, value, setting)..=MAX_VALUE_BYTES).contains(&value.len());
    if !fits || is_placeholder(value) || is_location(value) || is_number(value) || is_public(value) {
        return false;
    }
    match setting {
        Notation::Literal if weight.is_chosen() => is_chosen(value),
        Notation::Literal => is_generated(value) || is_made_up(value),
        Notation::Bare | Notation::Prose | Notation::Adjacent if is_code(value) => false,
        _ if weight == CredentialKind::Passphrase && is_joined_phrase(value) => true,
        Notation::Bare if is_identifier(value) => {
            // No name in code has a dash and digits.
            let joined =
                value.contains(&b'-') && value.iter().any(u8::is_ascii_digit) && !is_technical(value);
            weight.is_chosen() && joined && Classes::of(value).letters() >= 4
                || is_hex(value)
                || value.len() >= 12 && is_generated(value) && is_random(value)
        }
        Notation::Bare => weight.is_chosen() && is_chosen(value) || is_generated(value),
        Notation::Prose => {
            is_generated(value) && !is_foreign_word(value)
                || is_numbered(value, 3) && !is_uuid(value)
                || weight.is_chosen() && is_mixture(value) && !is_measure(value)
        }
        Notation::Adjacent => value.len() >= 16 && surprise(value) >= 8.0 && is_generated(value),
    }
}

/// The fewest characters of a value: people choose short passwords, programs issue long keys.
fn shortest(weight: CredentialKind, value: &[u8], setting: Notation) -> usize {
    let classes = Classes::of(value);
    match setting {
        Notation::Literal if weight.is_chosen() => {
            let varied = classes.letters() > 0 && classes.digits + classes.others > 0;
            if varied { MIN_MIXED } else { MIN_WORD }
        }
        _ => MIN_VALUE_BYTES,
    }
}

/// Digits, or a few characters with digits among them.
fn is_pin(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"#").unwrap_or(value);
    let classes = Classes::of(value);
    let plain = value.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let mixed = classes.digits >= 2 && value.len() >= 6 && classes.letters() > 0 && !value.starts_with(b"0");
    (4..=40).contains(&value.len()) && plain && classes.digits > 0 && (classes.letters() == 0 || mixed)
}

/// Certainly generated: three kinds of characters, and not the identifier of a thing.
pub(super) fn is_unmistakable(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let cased = classes.lower > 0 && classes.upper > 0 && classes.digits > 0;
    let joined = classes.others * 6 > value.len() || value.iter().any(|b| b"/:.".contains(b));
    (16..=MAX_VAGUE).contains(&value.len())
        && cased
        && !joined
        && surprise(value) >= 8.0
        && is_generated(value)
        && !is_placeholder(value)
        && !is_identifier_of_thing(value)
        && !holds_digest(value)
}

/// Something that people choose as a password: anything but a name of something else.
fn is_chosen(value: &[u8]) -> bool {
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    let names_one = letters && (credential_kind(value).is_some() || is_listed(&value.to_ascii_lowercase()))
        || names_password(value);
    // The default passwords of local databases.
    let local = value == b"postgres" || value == b"minioadmin";
    let numbering = local || value.contains(&b'.') && value.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let flag = value.starts_with(b"--") && value.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    let file = value.split(|b| *b == b'.').next().is_some_and(|stem| strength(stem) > Strength::Plain);
    !is_constant(value) && (!is_dotted_path(value) || file) && !names_one && !numbering && !flag
}

/// Something generated by a program, or by a person who tried hard.
fn is_generated(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    if classes.letters() == 0 {
        return false;
    }
    // Letters alone must be stranger to count: acronyms are strange too.
    let random = is_random(value) && (classes.digits > 0 || surprise(value) >= 8.0);
    let strong = is_mixture(value) && value.len() >= 10 && surprise(value) > -6.0;
    let strong = strong || is_encoded(value);
    is_hex(value) || random || strong || switches(value) >= 3
}

/// A word that is only strange in English: "je wachtwoord is gewijzigd".
fn is_foreign_word(value: &[u8]) -> bool {
    /// The longest words of a sentence, in bytes.
    const MAX_BYTES: usize = 20;
    value.len() <= MAX_BYTES
        && value[0].is_ascii_alphabetic()
        && value[1..].iter().all(|b| b.is_ascii_lowercase() || *b >= 0x80)
}

/// A document in base 64, escaped for an address or not: an assertion, a ticket.
fn is_encoded(value: &[u8]) -> bool {
    /// Shorter ones are judged by their letters.
    const MIN_BYTES: usize = 40;
    let classes = Classes::of(value);
    value.len() >= MIN_BYTES
        && classes.lower > 4
        && classes.upper > 4
        && classes.digits > 2
        && value.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=_-%".contains(b))
        && surprise(value) > -0.5 * value.len() as f32
}

/// Something made up by a person in place of a key: `token2024`, `mysupersecretvalue`.
fn is_made_up(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let numbered = classes.digits >= 2 && classes.letters() >= 2;
    let spoken =
        find(&value.to_ascii_lowercase(), b"secret", 0).is_some() && credential_kind(value).is_none();
    classes.others == 0 && (numbered || spoken)
        || is_numbered(value, 2)
        || classes.others > 0 && value.len() >= 10 && strength(value) > Strength::Plain
}

/// Words joined by dashes, as people write passphrases without spaces.
fn is_joined_phrase(value: &[u8]) -> bool {
    let words = value.split(|b| b"-.".contains(b));
    value.len() >= 12
        && words.clone().count() >= 3
        && words.clone().all(|word| word.len() >= 2 && word.iter().all(u8::is_ascii_alphanumeric))
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36 && value.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-')
}

/// Hexadecimal digits, in groups or not: after a name that announces a key, a digest is a key.
fn is_hex(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let fits = value.len() >= 16 && (1..value.len()).contains(&digits);
    fits && value.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-')
}

/// A path or an address: it says where a credential is stored. (Credentials in addresses have their
/// own rule.)
fn is_location(value: &[u8]) -> bool {
    let rooted = [&b"/"[..], b"./", b"../", b"~/", b"\\\\"].iter().any(|root| value.starts_with(root));
    let drive = value.len() > 3
        && value[0].is_ascii_alphabetic()
        && value[1] == b':'
        && matches!(value[2], b'\\' | b'/');
    let address = find(value, b"://", 0).is_some() || value.starts_with(b"arn:");
    address || drive || rooted && surprise(value) < 6.0
}

/// The name of a variable or constant: `DB_PASSWORD`, `API_KEY_2`.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_') && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// A path of names: `config.database.password`, `crate`, `self->token`.
fn is_dotted_path(value: &[u8]) -> bool {
    let names = value.split(|b| b".:>".contains(b)).filter(|part| !part.is_empty());
    let all_names = names.clone().all(|part| {
        part[0].is_ascii_alphabetic() && part.iter().all(|b| b.is_ascii_alphanumeric() || b"_-?!".contains(b))
    });
    // Two capitalised words and a number are a password.
    let classes = Classes::of(value);
    let chosen = classes.others == 1 && classes.upper >= 2 && classes.digits > 0;
    // Members have no dashes, and hosts no capitals.
    let joined = value.contains(&b'-')
        && value.contains(&b'.')
        && value.split(|b| b"-.".contains(b)).all(|part| part.first().is_some_and(u8::is_ascii_uppercase))
        && classes.lower > 0;
    names.count() > 1
        && all_names
        && surprise(value) < 4.0
        && !chosen
        && !joined
        && !is_dotted_password(value)
}

/// Certainly code: a path, a reference, a call, a flag.
fn is_code(value: &[u8]) -> bool {
    value[0] == b'-'
        || value[0] == b'&'
        || find(value, b"::", 0).is_some()
        || find(value, b"->", 0).is_some()
        || find(value, b"(", 0).is_some()
        || find(value, b"![", 0).is_some()
}

/// A number in code: `0xC000006A_u32`.
fn is_number(value: &[u8]) -> bool {
    value.len() <= 20 && value.starts_with(b"0x")
}

/// Something that can be an identifier, a type or a call in code.
fn is_identifier(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_alphanumeric() || b"_.:-&*?![](){}<>|".contains(b))
}

// Reading the value after a name: where it begins and ends.

/// The longest value that counts; a longer one is a document.
const MAX_VALUE_BYTES: usize = 8192;

/// The longest unquoted value; it bounds the work on hostile text.
const MAX_WORD_BYTES: usize = 2048;

/// The position of a value in the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
}

/// Reads the value that begins at `at`: a quoted string, or everything up to a space or separator.
///
/// `until` lists the characters that end an unquoted value.
pub(super) fn read(text: &[u8], at: usize, until: &[u8]) -> Option<Span> {
    let at = skip_scheme(text, skip_wrapping(text, at), text.len());
    // Three quotes open a string of several lines.
    let at = if text[at..].starts_with(b"\"\"\"") || text[at..].starts_with(b"\'\'\'") { at + 2 } else { at };
    let escapes = text[at..].iter().take_while(|b| **b == b'\\').count();
    let span = match text.get(at + escapes) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => quoted(text, at + escapes + 1, quote, escapes),
        _ => bare(text, at, until),
    };
    let start = skip_scheme(text, span.start, span.end);
    (start < span.end).then_some(Span { start, ..span })
}

/// Skips the code around a literal: `b"`, `String::from("`, `[]byte("`, `[`.
fn skip_wrapping(text: &[u8], at: usize) -> usize {
    let at = if text[at..].starts_with(b"[]") { at + 2 } else { at };
    // Perl quotes with any bracket: `q{…}`, `qq(…)`.
    let quotes = [&b"q{"[..], b"qq{", b"q(", b"qq(", b"q[", b"%q{", b"%q(", b"%Q("];
    if let Some(quote) = quotes.iter().find(|quote| text[at..].starts_with(quote)) {
        return at + quote.len();
    }
    let word =
        text[at..].iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || b"_:.".contains(b)).count();
    let mut next = at + word;
    if text.get(next) == Some(&b'(') || word == 0 && matches!(text.get(next), Some(b'[' | b'(')) {
        next += 1;
    } else if word > 2 {
        return at;
    }
    match text.get(next) {
        Some(b'"' | b'\'') => next,
        _ => at,
    }
}

fn quoted(text: &[u8], start: usize, quote: u8, escapes: usize) -> Span {
    let mut at = start;
    let limit = text.len().min(start + MAX_VALUE_BYTES);
    while at < limit && text[at] != b'\n' {
        if text[at] == quote {
            let slashes = text[start..at].iter().rev().take_while(|b| **b == b'\\').count();
            if slashes == escapes || slashes % 2 == 0 && escapes == 0 {
                return Span { start, end: at - escapes.min(slashes), quoted: true };
            }
        }
        at += 1;
    }
    Span { start, end: at, quoted: true }
}

fn bare(text: &[u8], start: usize, until: &[u8]) -> Span {
    let mut end = start;
    let limit = text.len().min(start + MAX_WORD_BYTES);
    while end < limit && !text[end].is_ascii_whitespace() && !until.contains(&text[end]) {
        if text[end] == b'\\' && matches!(text.get(end + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'))
        {
            break;
        }
        end += 1;
    }
    while end > start && matches!(text[end - 1], b',' | b';' | b'.' | b':') {
        end -= 1;
    }
    // The beginning of a key, which somebody left out: `sk_live_...`.
    if end > start && b"_-".contains(&text[end - 1]) && text[end..].starts_with(b"...") {
        end += 3;
    }
    Span { start, end, quoted: false }
}

/// Skips the scheme of an authorization: `Bearer …`, `Basic …`.
fn skip_scheme(text: &[u8], start: usize, end: usize) -> usize {
    const SCHEMES: [&[u8]; 8] =
        [b"bearer ", b"basic ", b"token ", b"apikey ", b"digest ", b"key ", b"ssws ", b"base64:"];
    let value = &text[start..end];
    SCHEMES
        .iter()
        .find(|scheme| value.len() > scheme.len() && value[..scheme.len()].eq_ignore_ascii_case(scheme))
        .map_or(start, |scheme| start + scheme.len())
}
