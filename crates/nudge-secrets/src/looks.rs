//! What passwords look like: which characters, and how words and numbers are joined.

use super::token::Classes;

/// Letters, digits and either both cases or punctuation that names do not have.
pub(super) fn is_mixture(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let marks = value.iter().any(|b| b"!@#$%^&*+=?~".contains(b));
    let both = classes.lower > 0 && classes.upper > 0;
    classes.letters() > 0 && (classes.digits > 0 && (both || marks) || marks && both || switches(value) >= 2)
}

/// How often letters and digits alternate: people write `oauth2`, generators `a7f3k`.
pub(super) fn switches(value: &[u8]) -> usize {
    value
        .windows(2)
        .filter(|pair| {
            pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
                || pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
        })
        .count()
}

/// Words and a number joined by dashes: `weather-prod-8812`.
pub(super) fn is_numbered(value: &[u8], digits: usize) -> bool {
    let classes = Classes::of(value);
    let joined = value.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_');
    let long = value.split(|b| !b.is_ascii_digit()).any(|run| run.len() >= digits);
    value.len() >= 12 && joined && long && classes.letters() >= 4 && classes.others <= 5
}

/// Words joined by dots as people make passwords: `Granite.Peak9`, `walnut.tree.7`. Hosts, files
/// and members have no digits there, or end in a known way.
pub(super) fn is_dotted_password(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const ENDINGS: [&[u8]; 44] = [
        b"com", b"net", b"org", b"io", b"app", b"dev", b"local", b"internal", b"lan", b"corp", b"cloud", b"example", b"test", b"de", b"at", b"ch", b"eu", b"js", b"ts", b"py",
        b"rs", b"go", b"rb", b"sh", b"md", b"txt", b"json", b"yml", b"yaml", b"toml", b"xml", b"csv", b"pem", b"key", b"crt", b"log", b"conf", b"cfg", b"ini", b"env", b"gz", b"zip", b"html", b"sql",
    ];
    let mut parts = value.split(|b| *b == b'.');
    let count = parts.clone().count();
    let last = value.rsplit(|b| *b == b'.').next().unwrap_or_default();
    let plain = value.iter().all(|b| b.is_ascii_alphanumeric() || b".-_!".contains(b));
    // A digit in place of a letter, at the end of a word, or alone after words.
    let numbered = parts
        .clone()
        .any(|part| part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_alphabetic))
        || last.iter().all(u8::is_ascii_digit)
            && parts
                .clone()
                .filter(|part| part.len() >= 3 && part.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_'))
                .count()
                + 1
                == count;
    let capital = parts.any(|part| {
        part.first().is_some_and(u8::is_ascii_uppercase) && part.iter().skip(1).any(u8::is_ascii_lowercase)
    });
    let small = value.iter().all(|b| !b.is_ascii_uppercase());
    let version = value.iter().filter(|b| b.is_ascii_digit()).count() * 2 > value.len()
        || value.first().is_some_and(|b| *b == b'v');
    (2..=4).contains(&count)
        && plain
        && numbered
        && (capital || small || value.contains(&b'!'))
        && !version
        && (capital || !value.contains(&b'_'))
        && !ENDINGS.iter().any(|end| last.eq_ignore_ascii_case(end))
}

/// Whether these two words say where a password is kept, so that the sentence does not state it:
/// "in Bitwarden", "im Tresor".
pub(super) fn says_where(previous: &[u8], word: &[u8]) -> bool {
    #[rustfmt::skip]
    const IN: [&[u8]; 11] = [
        b"in", b"im", b"dans", b"en", b"no", b"na", b"w", b"we", b"nel", b"from", b"aus",
    ];
    #[rustfmt::skip]
    const PLACES: [&[u8]; 20] = [
        b"1password", b"bitwarden", b"vaultwarden", b"keepass", b"keepassxc", b"lastpass", b"dashlane", b"vault", b"keychain", b"keyring", b"manager",
        b"tresor", b"kluis", b"coffre", b"coffre-fort", b"gestor", b"sejfie", b"safe", b"valvet", b"trezor",
    ];
    let word = word.trim_ascii_end();
    let word = &word[..word.len() - word.iter().rev().take_while(|b| b",.;:)".contains(b)).count()];
    IN.contains(&&previous.to_ascii_lowercase()[..]) && PLACES.contains(&&word.to_ascii_lowercase()[..])
}

/// Whether the value is the word for a password in some language, as in the label of a field.
pub(super) fn names_password(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const LABELS: [&str; 32] = [
        "contraseña", "hasło", "lösenord", "пароль", "密码", "密碼", "パスワード", "jelszó", "şifre", "mật khẩu", "κωδικός", "비밀번호",
        "nenosiri", "katasandi", "pasahitza", "slaptažodis", "zaporka", "parool", "parole", "fjalëkalimi", "лозинка", "парола", "құпиясөз",
        "գաղտնաբառ", "პაროლი", "סיסמה", "گذرواژه", "पासवर्ड", "รหัสผ่าน", "lykilorð", "cyfrinair", "口令",
    ];
    std::str::from_utf8(value).is_ok_and(|value| LABELS.contains(&value.to_lowercase().as_str()))
}

/// The address of a coin or a contract, or a key that vendors publish in pages.
pub(super) fn is_public(value: &[u8]) -> bool {
    let address =
        value.len() == 42 && value.starts_with(b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit);
    // The public key that browsers verify messages with.
    let point = value.len() == 87
        && value[0] == b'B'
        && value.iter().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b));
    address || point || [&b"pk.eyJ"[..], b"pk_test_", b"pk_live_"].iter().any(|key| value.starts_with(key))
}
