//! Passphrases, which are passwords of several words, and the ordinary words that are none.

use super::finding::Notation;
use super::name::{CredentialKind, credential_kind};
use super::strength::is_mixture;
use super::token::find;

/// The longest passphrase, in bytes.
const MAX_PHRASE_BYTES: usize = 96;

/// Whether a value with spaces is a credential under a name of this weight.
pub(super) fn is_phrase(weight: CredentialKind, value: &[u8], setting: Notation) -> bool {
    match weight {
        CredentialKind::Phrase => {
            let words = words(value);
            (12..=24).contains(&words.len())
                && words.iter().all(|word| word.iter().all(u8::is_ascii_lowercase))
        }
        CredentialKind::Passphrase => {
            has_password_word(value)
                || is_words(value) && (setting == Notation::Literal || !is_clause(value))
                || setting == Notation::Literal && is_noise(value)
        }
        CredentialKind::Password => {
            has_password_word(value)
                || setting == Notation::Literal && (is_words(value) || is_pair(value) || is_noise(value))
        }
        CredentialKind::Key => setting == Notation::Literal && (is_noise(value) || is_groups(value)),
        CredentialKind::Pin => is_groups(value),
        CredentialKind::Vague => false,
    }
}

/// The end of an unquoted passphrase that begins at `start`: the end of its clause.
pub(super) fn clause_end(text: &[u8], start: usize) -> usize {
    let line = &text[start..text.len().min(start + MAX_PHRASE_BYTES + 1)];
    let end = line.iter().position(|b| b"\n\r\"'`;()<>{}\\".contains(b)).unwrap_or(line.len());
    let clause = [&b", "[..], b". ", b" - ", b" \xe2\x80\x93 ", b" \xe2\x80\x94 "]
        .iter()
        .filter_map(|mark| find(&line[..end], mark, 0))
        .min();
    let end = clause.unwrap_or(end);
    start + line[..end].trim_ascii_end().strip_suffix(b".").unwrap_or(line[..end].trim_ascii_end()).len()
}

/// A quoted phrase where only the passphrase can be, after a flag or an environment variable: any
/// words, as long as they are not about what is requested.
pub(super) fn is_quoted_phrase(value: &[u8]) -> bool {
    let words = words(value);
    let asks = [&b"please"[..], b"enter", b"type", b"choose", b"your", b"leave", b"must"]
        .iter()
        .any(|verb| words.iter().any(|word| word.eq_ignore_ascii_case(verb)));
    let sound = |word: &&[u8]| word.len() <= 20 && !word.iter().any(|b| b"=<>{}[]()$|\\/".contains(b));
    value.len() <= MAX_PHRASE_BYTES
        && (3..=12).contains(&words.len())
        && words.iter().all(sound)
        && !asks
        && !mentions_passwords(value)
}

/// Three or more lower-case words joined by dots that neither code nor a message catalogue would
/// have.
pub(super) fn is_dotted(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const TECHNICAL: [&[u8]; 44] = [
        b"config", b"cfg", b"settings", b"env", b"self", b"this", b"process", b"os", b"var", b"vars", b"local", b"data", b"form", b"forms",
        b"label", b"labels", b"auth", b"errors", b"message", b"messages", b"validation", b"common", b"com", b"org", b"net", b"io", b"i18n",
        b"page", b"pages", b"title", b"app", b"api", b"db", b"request", b"req", b"body", b"params", b"state", b"props", b"models", b"core",
        b"http", b"spring", b"values",
    ];
    let mut parts = value.split(|b| *b == b'.');
    let fits = |part: &[u8]| {
        part.len() >= 2
            && part.iter().all(u8::is_ascii_lowercase)
            && !TECHNICAL.contains(&part)
            && credential_kind(part).is_none()
            && !is_ordinary(part)
    };
    // A function word is not the name of a member.
    let part = |part: &[u8]| fits(part) || is_function(part);
    (3..=8).contains(&parts.clone().count()) && value.len() >= 10 && parts.all(part)
}

/// Whether the words are about passwords.
fn mentions_passwords(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    #[rustfmt::skip]
    const WORDS: [&str; 19] = [
        "1password", "lastpass", "bitwarden", "keepass", "dashlane",
        "password", "passphrase", "secret", "token", "login", "invalid", "required", "characters", "credential", "passwort", "kennwort",
        "mot de passe", "contrase", "senha",
    ];
    WORDS.iter().any(|word| find(&lower, word.as_bytes(), 0).is_some())
}

fn words(value: &[u8]) -> Vec<&[u8]> {
    value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}

/// A few words, one of them a password by itself.
fn has_password_word(value: &[u8]) -> bool {
    let words = words(value);
    let plain = |word: &&&[u8]| word.iter().all(u8::is_ascii_lowercase);
    value.len() <= 64
        && (2..=4).contains(&words.len())
        && !mentions_passwords(value)
        && words.iter().any(|word| is_mixture(word))
        && words.iter().filter(plain).count() < 3
}

/// Three to ten words that do not form a sentence.
fn is_words(value: &[u8]) -> bool {
    let words = words(value);
    let fits = |word: &&[u8]| {
        let sound = word.iter().all(|b| b.is_ascii_alphanumeric() || b"-'!*&".contains(b) || *b >= 0x80);
        sound && word.len() <= 16 && !is_function(&word.to_ascii_lowercase())
    };
    let sentence = matches!(value.last(), Some(b'.' | b'?' | b':' | b','));
    let numbered = words.iter().any(|word| word.iter().all(u8::is_ascii_digit));
    let least = if numbered { 2 } else { 3 };
    value.len() <= MAX_PHRASE_BYTES
        && (least..=10).contains(&words.len())
        && words.iter().all(fits)
        && !sentence
        && !mentions_passwords(value)
}

/// Words that continue a sentence about a passphrase: "once per session", "in any image".
fn is_clause(value: &[u8]) -> bool {
    const WORDS: [&[u8]; 10] =
        [b"in", b"per", b"any", b"every", b"once", b"this", b"that", b"when", b"an", b"will"];
    words(value).iter().any(|word| WORDS.contains(word))
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

/// Whether it is code: calls and indexes have their brackets next to names.
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

// Words in the place of a password, in sentences about passwords.
//
// "The password is required", "is stored in the keychain", "was rotated": the verb is followed by
// a participle, an adjective or one of a few hundred everyday words. Real passwords are not among
// them.

/// Whether sentences about credentials continue with this word.
pub(super) fn is_ordinary(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    /// Longer words are several run together, as people make passwords.
    const MAX_BYTES: usize = 14;
    let ends =
        |endings: &[&[u8]]| lower.len() <= MAX_BYTES && endings.iter().any(|ending| lower.ends_with(ending));
    ends(&[
        b"ed", b"ing", b"ly", b"able", b"ible", b"tion", b"tions", b"ment", b"ous", b"ful", b"less", b"ity",
        b"ence",
    ]) || is_listed(&lower)
}

/// Whether the word, in lower case, is in one of the lists.
pub(super) fn is_listed(lower: &[u8]) -> bool {
    is_function(lower) || ORDINARY_WORDS.binary_search(&lower).is_ok()
}

/// Whether it is a function word; no passphrase and no mnemonic has one.
pub(super) fn is_function(lower: &[u8]) -> bool {
    FUNCTION_WORDS.binary_search(&lower).is_ok()
}

/// Sorted. None of these is in the word lists of wallets.
#[rustfmt::skip]
const FUNCTION_WORDS: [&[u8]; 75] = [
    b"and", b"are", b"as", b"at", b"be", b"been", b"but", b"by", b"can", b"cannot", b"could", b"do", b"does",
    b"each", b"enter", b"for", b"from", b"had", b"has", b"have", b"he", b"her", b"here", b"his", b"how", b"if",
    b"into", b"is", b"it", b"its", b"may", b"might", b"more", b"most", b"must", b"my", b"no", b"not", b"of",
    b"on", b"only", b"or", b"our", b"please", b"shall", b"she", b"should", b"so", b"some", b"such", b"than",
    b"the", b"their", b"them", b"then", b"there", b"these", b"they", b"those", b"to", b"until", b"up", b"us",
    b"was", b"we", b"were", b"which", b"who", b"whose", b"why", b"with", b"would", b"yes", b"you", b"your",
];

/// Sorted. What sentences say a password is, and where it is.
#[rustfmt::skip]
const ORDINARY_WORDS: [&[u8]; 207] = [
    b"above", b"absent", b"access", b"account", b"after", b"again", b"against", b"almost", b"already",
    b"always", b"another", b"anybody", b"anyone", b"anything", b"argument", b"arguments", b"around", b"array",
    b"available", b"aware", b"because", b"before", b"behind", b"below", b"beside", b"better", b"between",
    b"binary", b"blank", b"boolean", b"broken", b"buffer", b"button", b"bytes", b"called", b"caller", b"case",
    b"change", b"characters", b"client", b"clients", b"compromised", b"config", b"confirm", b"constant",
    b"correct", b"created", b"credential", b"credentials", b"current", b"default", b"different", b"disabled",
    b"during", b"either", b"email", b"empty", b"enabled", b"encrypt", b"enough", b"environment", b"equal",
    b"equals", b"error", b"exactly", b"example", b"expires", b"explicit", b"false", b"field", b"fields",
    b"file", b"files", b"first", b"flag", b"flags", b"follows", b"forgotten", b"generator", b"given", b"global",
    b"hash", b"hidden", b"important", b"inputs", b"inside", b"instead", b"integer", b"invalid", b"kept",
    b"keychain", b"known", b"later", b"length", b"letters", b"local", b"login", b"longer", b"made", b"manager",
    b"masked", b"memory", b"method", b"minimum", b"missing", b"mixed", b"mostly", b"never", b"nobody", b"none",
    b"nothing", b"null", b"number", b"object", b"often", b"okay", b"option", b"optional", b"options", b"other",
    b"others", b"outside", b"parameter", b"parameters", b"part", b"pass", b"password", b"passwords", b"plain",
    b"plaintext", b"policy", b"present", b"private", b"project", b"prompt", b"prompts", b"public", b"random",
    b"rather", b"really", b"redacted", b"redis", b"remote", b"required", b"reset", b"right", b"same", b"secret",
    b"secure", b"sent", b"server", b"session", b"settings", b"short", b"shorter", b"shown", b"simple",
    b"something", b"sometimes", b"standard", b"still", b"storage", b"strict", b"string", b"strings", b"strong",
    b"submit", b"sudo", b"symbol", b"system", b"taken", b"text", b"that", b"their", b"this", b"though",
    b"through", b"together", b"token", b"tokens", b"true", b"twice", b"undefined", b"under", b"unique",
    b"unknown", b"unless", b"update", b"used", b"user", b"username", b"users", b"valid", b"value", b"values",
    b"varchar", b"vault", b"visible", b"weak", b"what", b"when", b"where", b"whether", b"while", b"within",
    b"without", b"written",
];

#[cfg(test)]
mod tests {
    use super::{FUNCTION_WORDS, ORDINARY_WORDS, is_ordinary};

    #[test]
    fn the_lists_are_sorted() {
        assert!(FUNCTION_WORDS.is_sorted() && ORDINARY_WORDS.is_sorted());
    }

    #[test]
    fn what_sentences_go_on_with_is_distinguished_from_names() {
        for word in ["required", "Incorrectly", "empty", "stored", "yours"] {
            assert_eq!(is_ordinary(word.as_bytes()), word != "yours", "{word}");
        }
    }
}
