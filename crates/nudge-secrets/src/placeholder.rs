//! Placeholders for a credential: variables, brackets, stars, `changeme`.

use super::finding::REDACTED;
use super::name::names_password;
use super::surprise::surprise;
use super::token::{distinct, find};

/// Whether the value is a placeholder from a person or a template.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_reference(value) || is_blank(value) || is_description(value) || is_instruction(value)
}

/// A variable, a command, a lookup: the value comes from elsewhere.
fn is_reference(value: &[u8]) -> bool {
    /// Lookups, anywhere in the value.
    #[rustfmt::skip]
    const LOOKUPS: [&[u8]; 17] = [
        b"${", b"$(", b"{{", b"#{", b"<%", b"process.env", b"import.meta.env", b"os.environ", b"getenv(",
        b"ENV[", b"env(", b"env::", b"secrets.", b"op://", b"vault:", b"keyring:", b"%(",
    ];
    let (first, last) = (value.first().copied(), value.last().copied());
    let format = value.len() <= 6
        && first == Some(b'%')
        && value.iter().skip(1).all(|b| b.is_ascii_alphabetic() || b":%&".contains(b));
    let begins_name = |at: usize| value.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let in_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    // A makefile doubles the `$` of a shell's variable.
    let doubled = value.strip_prefix(b"$$").is_some_and(|name| begins_name(2) && name.iter().all(in_name));
    let variable = first == Some(b'$') && begins_name(1) || doubled;
    let bracketed = matches!(
        (first, last),
        (Some(b'<'), Some(b'>'))
            | (Some(b'{'), Some(b'}'))
            | (Some(b'['), Some(b']'))
            | (Some(b'%'), Some(b'%'))
            | (Some(b'`'), _)
    );
    // Where programs read it from, as flags say it: `env:NAME`, `file:key.txt`, `@keychain:NAME`.
    let named = [&b"env:"[..], b"@env:", b"@keychain:"].iter().any(|place| {
        value.strip_prefix(*place).is_some_and(|name| !name.is_empty() && name.iter().all(in_name))
    });
    let elsewhere = named || value.starts_with(b"file:") && value.len() > 5;
    // `$2b$12$…` and `$argon2id$…` are password hashes: their `$` does not name a variable.
    let hash = value.iter().filter(|b| **b == b'$').count() >= 3;
    // A generator of site keys writes `%(` by chance.
    let marks = || value.iter().copied().filter(u8::is_ascii_punctuation).collect::<Vec<u8>>();
    if value.len() >= 32 && value.iter().any(u8::is_ascii_digit) && distinct(&marks()) >= 13 {
        return false;
    }
    (variable && !hash)
        || bracketed
        || elsewhere
        || format
        || LOOKUPS.iter().any(|lookup| find(value, lookup, 0).is_some())
}

/// One or two characters repeated: `xxxx-xxxx`, `********`, `...`.
fn is_blank(value: &[u8]) -> bool {
    distinct(value) <= 3
        || find(value, "…".as_bytes(), 0).is_some()
        || value.ends_with(b"...")
        || value.starts_with(b"***")
        || find(value, b"****", 0).is_some()
        || value.first() == Some(&b'<')
        // Encrypted values may be stored: SOPS, Ansible, sealed secrets.
        || value.starts_with(b"ENC[")
        || value.starts_with(b"$ANSIBLE_VAULT")
        || is_sealed(value)
        // An empty parameter, and the next one: `password=&user=…`.
        || value.first() == Some(&b'&') && value.contains(&b'=')
        // The way vendors mark the keys in their documentation.
        || find(value, b"EXAMPLE", 0).is_some()
        || find(&value.to_ascii_lowercase(), b"xxxxx", 0).is_some()
        || find(value, REDACTED.as_bytes(), 0).is_some()
}

/// A value that only a cluster can open: a sealed secret.
pub(super) fn is_sealed(value: &[u8]) -> bool {
    value.len() > 150 && (value.starts_with(b"AgA") || value.starts_with(b"AgB"))
}

/// Words that describe the value: `your_token_here`, `my-secret-key`, `sha256-hashed`.
fn is_description(value: &[u8]) -> bool {
    /// One of these words is enough.
    #[rustfmt::skip]
    const TELLING: [&[u8]; 59] = [
        b"string", b"hidden", b"prompt", b"stdin", b"false", b"true", b"boolean", b"number", b"object", b"always", b"never",
        b"disabled", b"enabled", b"invalid", b"missing", b"wrong", b"incorrect", b"expired", b"text", b"empty", b"unset", b"notset",
        b"your", b"yours", b"youre", b"example", b"placeholder", b"changeme", b"changeit", b"changethis",
        b"replaceme", b"replace", b"insert", b"redacted", b"masked", b"dummy", b"fake", b"sample", b"todo",
        b"fixme", b"undefined", b"null", b"none", b"optional", b"required", b"sha1", b"sha256", b"sha512",
        b"base64", b"bcrypt", b"argon2", b"argon2id", b"pbkdf2", b"md5", b"oauth2", b"utf8", b"rsa2048",
        b"hs256", b"rs256",
    ];
    /// A value of only these words names a credential.
    #[rustfmt::skip]
    const NAMING: [&[u8]; 67] = [
        b"pref", b"prefs", b"header", b"x", b"extra", b"param", b"column", b"arg",
        b"my", b"the", b"a", b"an", b"some", b"new", b"old", b"user", b"users", b"db", b"database", b"app",
        b"api", b"access", b"refresh", b"client", b"server", b"admin", b"root", b"key", b"keys", b"token",
        b"tokens", b"secret", b"secrets", b"password", b"passwords", b"passwd", b"pwd", b"pass",
        b"passphrase", b"auth", b"authorization", b"bearer", b"basic", b"credential", b"credentials",
        b"here", b"value", b"name", b"string", b"str", b"hash", b"id", b"type", b"field", b"input",
        b"private", b"public", b"session", b"test", b"apikey", b"default", b"username",
        b"usuario", b"clave", b"utilisateur", b"benutzer", b"gebruiker",
    ];
    /// The same with a number: `changeme123`.
    const CHANGE: [&[u8]; 4] = [b"changeme", b"changeit", b"changethis", b"replaceme"];
    /// What to do with it, as two words: `change-me`, `generate_this`.
    const VERBS: [&[u8]; 6] = [b"change", b"replace", b"generate", b"set", b"fill", b"edit"];
    const OBJECTS: [&[u8]; 3] = [b"me", b"this", b"it"];
    let lower = value.to_ascii_lowercase();
    let words = || lower.split(|b| !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let telling = words().any(|word| {
        let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        TELLING.contains(&word) || CHANGE.contains(&&word[..word.len() - digits])
    });
    let asks = |(verb, object): (&[u8], &[u8])| VERBS.contains(&verb) && OBJECTS.contains(&object);
    let telling = telling || words().zip(words().skip(1)).any(asks);
    // A generated value can contain such a word by accident, between two separators.
    // The password of the store of debugging keys, the same for everybody.
    lower == b"android"
        || (telling
            && !value
                .split(|b| !b.is_ascii_alphanumeric())
                .any(|part| part.len() >= 16 && surprise(part) > 8.0))
        || words().all(|word| NAMING.contains(&word) || names_password(word))
}

/// What is to be written there, or that it is no credential, in any language:
/// `votre-mot-de-passe`, `vul-hier-je-wachtwoord-in`, `not-a-secret`.
///
/// Such a value has no digits, a word for a credential, and a word that speaks to the reader.
fn is_instruction(value: &[u8]) -> bool {
    /// The longest instruction, in bytes.
    const MAX_BYTES: usize = 64;
    #[rustfmt::skip]
    const CREDENTIALS: [&str; 36] = [
        "password", "passwd", "passphrase", "secret", "secrets", "token", "key", "apikey", "credential", "credentials", "login", "pass",
        "geheim", "geheimer", "geheimes", "geheimnis", "schluessel", "schlüssel", "sleutel", "nyckel", "avain", "cle", "clé", "clef", "jeton", "clave", "secreto",
        "chave", "segredo", "chiave", "segreto", "klucz", "klic", "klíč", "contraseña", "hasło",
    ];
    /// Words for "your", "here", "enter", "replace" and "not".
    #[rustfmt::skip]
    const SPEAKING: [&str; 58] = [
        "your", "here", "enter", "not", "unsafe", "insecure",
        "dein", "deine", "deinen", "ihr", "ihre", "ihren", "hier", "eingeben", "einsetzen", "einfügen", "einfuegen", "ersetzen", "kein", "keine", "nicht",
        "jouw", "uw", "je", "vul", "vervang", "geen", "niet",
        "votre", "ton", "vos", "ici", "remplacer", "remplacez", "saisir", "pas",
        "tu", "su", "aqui", "aquí", "introduce", "cambia", "cambiar", "reemplazar", "sua", "seu", "insira",
        "tua", "tuo", "qui", "inserisci", "inserire", "sostituire", "din", "ditt", "här", "twoje", "wpisz",
    ];
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let plain = |b: &u8| b.is_ascii_alphabetic() || b"-_.".contains(b) || *b >= 0x80;
    if text.len() > MAX_BYTES || !value.iter().all(plain) {
        return false;
    }
    let lower = text.to_lowercase();
    let words = || lower.split(['-', '_', '.']);
    let names = |word: &str| CREDENTIALS.contains(&word) || names_password(word.as_bytes());
    words().any(names) && words().any(|word| SPEAKING.contains(&word))
}
