//! Which names announce a credential: `DB_PASSWORD`, `clientSecret`, `X-Api-Key`, `token2`.

/// How much a name says about the value assigned to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// A password: any value of some length is one.
    Password,
    /// A key or token: issued by a program, so the value must look issued.
    Key,
    /// Words that make up a key together.
    Phrase,
}

/// What a name announces, when it announces a credential.
///
/// The name is read as words (`dbPassword`, `DB_PASSWORD` and `db-password` alike) and the last
/// ones decide: `password_file`, `token_count` and `secretName` announce nothing.
pub(super) fn weigh(name: &[u8]) -> Option<Weight> {
    let words = Words::of(name);
    let list = words.list();
    let mut words: &[&str] = &list;
    while words.len() > 1 && QUALIFIERS.contains(&words[words.len() - 1]) {
        words = &words[..words.len() - 1];
    }
    let (&last, before) = words.split_last()?;
    let previous = before.last().copied().unwrap_or("");
    if last == "pass" {
        return Some(if PASS_KINDS.contains(&previous) { Weight::Password } else { Weight::Key });
    }
    if PASSWORDS.contains(&last)
        || last.ends_with("password")
        || last.ends_with("passwd")
        || last.ends_with("passphrase")
    {
        return Some(Weight::Password);
    }
    if last == "mnemonic"
        || last == "phrase" && matches!(previous, "seed" | "recovery" | "mnemonic" | "backup")
    {
        return Some(Weight::Phrase);
    }
    let is_key = match last {
        "key" => KEY_KINDS.contains(&previous),
        "base" => previous == "key" && before.len() >= 2 && before[before.len() - 2] == "secret",
        "token" => !TOKEN_OF_TEXT.contains(&previous),
        "pat" => PAT_KINDS.contains(&previous),
        _ => KEYS.contains(&last) || FUSED.iter().any(|stem| last.ends_with(stem)),
    };
    is_key.then_some(Weight::Key)
}

/// Whether a URL parameter of this name carries a credential, beyond the names that always do.
pub(super) fn is_secret_parameter(name: &[u8]) -> bool {
    const PARAMETERS: [&str; 7] = ["key", "sig", "signature", "code", "hmac", "sas", "auth"];
    Words::of(name).list().last().is_some_and(|last| PARAMETERS.contains(last))
}

#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "password", "passwd", "pwd", "pw", "passphrase", "passcode", "passwort", "sshpass", "userpass",
    "dbpass", "psw", "pword",
];

#[rustfmt::skip]
const KEYS: &[&str] = &[
    "secret", "token", "auth", "authorization", "credential", "credentials", "creds", "cred", "jwt",
    "bearer", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "phpsessid", "jsessionid",
    "sid", "psk",
];

/// Stems that end a word written without a seam: `authtoken`, `clientsecret`.
#[rustfmt::skip]
const FUSED: &[&str] = &[
    "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "accountkey", "authkey",
    "signingkey",
];

/// Before `pass` these make it a password; a compiler's pass and a passed test are none.
#[rustfmt::skip]
const PASS_KINDS: &[&str] = &[
    "db", "database", "user", "admin", "root", "smtp", "mail", "email", "imap", "ftp", "sftp", "ssh", "redis", "mysql", "pg",
    "postgres", "mongo", "rabbitmq", "proxy", "sudo", "auth", "login", "basic", "http", "ldap", "keystore", "store", "key", "api",
];

/// Before `pat` these make it a personal access token; most are patterns.
const PAT_KINDS: &[&str] =
    &["github", "gitlab", "gh", "gl", "git", "azure", "ado", "devops", "access", "personal"];

/// What a `key` must be of; a cache key, a primary key and a public key are none.
#[rustfmt::skip]
const KEY_KINDS: &[&str] = &[
    "api", "access", "private", "secret", "signing", "sign", "encryption", "encrypt", "decryption",
    "account", "auth", "master", "session", "shared", "storage", "deploy", "service", "role", "webhook",
    "server", "ssh", "gpg", "pgp", "rsa", "admin", "hmac", "aes", "jwt", "cookie", "app", "application",
    "subscription", "functions", "function", "write", "developer", "integration", "ingest",
    "ingestion", "bot", "consumer", "merchant", "licence", "root", "personal",
    "client", "security", "activation", "recovery", "wallet", "kms", "tls", "ssl", "maps", "stripe",
    "openai", "anthropic", "datadog", "dd", "sendgrid", "mailgun", "algolia", "twilio", "gemini",
    "license",
];

/// Tokens of a text or a page, which open nothing.
#[rustfmt::skip]
const TOKEN_OF_TEXT: &[&str] = &[
    "page", "next", "progress", "continuation", "cancellation", "cancel", "sync", "stop", "eos", "bos", "pad", "unk",
    "mask", "sep", "cls", "special", "design", "end", "start", "first", "last", "current", "peek", "syntax",
    "lexer", "max", "min", "per", "skip", "cursor", "previous",
];

/// Words behind the name that only say which one it is.
#[rustfmt::skip]
const QUALIFIERS: &[&str] = &[
    "prod", "production", "staging", "stage", "dev", "development", "test", "testing", "live", "sandbox",
    "local", "old", "new", "primary", "secondary", "backup", "default", "current", "previous", "value",
    "raw", "plain", "plaintext", "string", "str", "base64", "b64", "v", "ro", "rw", "readonly", "main",
    "internal", "external", "override", "eu", "us",
];

/// A name taken apart into lower-case words, without allocation for each.
struct Words {
    lower: String,
    ends: Vec<(usize, usize)>,
}

impl Words {
    /// Seams are marks, a capital after a small letter, the last capital of several, and digits.
    fn of(name: &[u8]) -> Self {
        /// Longer names are cut to their end, which decides.
        const LONGEST: usize = 96;
        let name = &name[name.len().saturating_sub(LONGEST)..];
        let lower: String =
            name.iter().map(|b| b.to_ascii_lowercase() as char).filter(char::is_ascii).collect();
        let mut ends = Vec::new();
        if lower.len() == name.len() {
            let mut start = 0;
            for at in 0..=name.len() {
                if at == name.len() || !name[at].is_ascii_alphabetic() {
                    if at > start {
                        ends.push((start, at));
                    }
                    start = at + 1;
                } else if at > start && is_seam(name, at) {
                    ends.push((start, at));
                    start = at;
                }
            }
        }
        Self { lower, ends }
    }

    fn list(&self) -> Box<[&str]> {
        self.ends.iter().map(|&(start, end)| &self.lower[start..end]).collect()
    }
}

fn is_seam(name: &[u8], at: usize) -> bool {
    let rises = name[at - 1].is_ascii_lowercase() && name[at].is_ascii_uppercase();
    let falls = name[at - 1].is_ascii_uppercase()
        && name[at].is_ascii_uppercase()
        && name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    rises || falls
}

#[cfg(test)]
mod tests {
    use super::{Weight, weigh};

    #[test]
    fn names_of_credentials_are_told_in_every_spelling() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPassword",
            "PGPASSWORD",
            "db.password",
            "--db-password",
            "MYSQL_PWD",
            "password2",
        ] {
            assert_eq!(weigh(name.as_bytes()), Some(Weight::Password), "{name}");
        }
        for name in [
            "token",
            "API_KEY",
            "apiKey",
            "X-Api-Key",
            "APIKey",
            "STRIPE_SECRET_KEY",
            "client_secret",
            "authToken",
            "_authToken",
            "SECRET_KEY_BASE",
            "aws_secret_access_key",
            "githubToken",
            "API_KEY_PROD",
            "Proxy-Authorization",
            "GITLAB_PAT",
        ] {
            assert_eq!(weigh(name.as_bytes()), Some(Weight::Key), "{name}");
        }
    }

    #[test]
    fn names_that_only_speak_of_credentials_are_not() {
        for name in [
            "password_file",
            "token_count",
            "max_tokens",
            "secretName",
            "private_key_path",
            "cache_key",
            "primary_key",
            "public_key",
            "tokenizer",
            "author",
            "authority",
            "keyboard",
            "monkey",
            "next_page_token",
            "auth_url",
            "compass",
            "bypassed",
            "key",
        ] {
            assert_eq!(weigh(name.as_bytes()), None, "{name}");
        }
    }
}
