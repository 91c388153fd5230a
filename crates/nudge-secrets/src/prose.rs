//! Words in the place of a password, in sentences about passwords.
//!
//! "The password is required", "is stored in the keychain", "was rotated": the verb is followed by
//! a participle, an adjective or one of a few hundred everyday words. Real passwords are not among
//! them.

/// Whether sentences about credentials continue with this word.
pub(super) fn is_ordinary(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    /// Longer words are several run together, as people make passwords.
    const LONGEST: usize = 14;
    let ends =
        |endings: &[&[u8]]| lower.len() <= LONGEST && endings.iter().any(|ending| lower.ends_with(ending));
    ends(&[
        b"ed", b"ing", b"ly", b"able", b"ible", b"tion", b"tions", b"ment", b"ous", b"ful", b"less", b"ity",
        b"ence",
    ]) || is_listed(&lower)
}

/// Whether the word, in lower case, is in one of the lists.
pub(super) fn is_listed(lower: &[u8]) -> bool {
    is_function(lower) || ORDINARY.binary_search(&lower).is_ok()
}

/// Whether it is a function word; no passphrase and no mnemonic has one.
pub(super) fn is_function(lower: &[u8]) -> bool {
    FUNCTION.binary_search(&lower).is_ok()
}

/// Sorted. None of these is in the word lists of wallets.
#[rustfmt::skip]
const FUNCTION: [&[u8]; 75] = [
    b"and", b"are", b"as", b"at", b"be", b"been", b"but", b"by", b"can", b"cannot", b"could", b"do", b"does",
    b"each", b"enter", b"for", b"from", b"had", b"has", b"have", b"he", b"her", b"here", b"his", b"how", b"if",
    b"into", b"is", b"it", b"its", b"may", b"might", b"more", b"most", b"must", b"my", b"no", b"not", b"of",
    b"on", b"only", b"or", b"our", b"please", b"shall", b"she", b"should", b"so", b"some", b"such", b"than",
    b"the", b"their", b"them", b"then", b"there", b"these", b"they", b"those", b"to", b"until", b"up", b"us",
    b"was", b"we", b"were", b"which", b"who", b"whose", b"why", b"with", b"would", b"yes", b"you", b"your",
];

/// Sorted. What sentences say a password is, and where it is.
#[rustfmt::skip]
const ORDINARY: [&[u8]; 207] = [
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
    use super::{FUNCTION, ORDINARY, is_ordinary};

    #[test]
    fn the_lists_are_sorted() {
        assert!(FUNCTION.is_sorted() && ORDINARY.is_sorted());
    }

    #[test]
    fn what_sentences_go_on_with_is_distinguished_from_names() {
        for word in ["required", "Incorrectly", "empty", "stored", "yours"] {
            assert_eq!(is_ordinary(word.as_bytes()), word != "yours", "{word}");
        }
    }
}
