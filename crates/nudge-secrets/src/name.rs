//! Which names announce a credential: `DB_PASSWORD`, `clientSecret`, `X-Api-Key`, `token2`.

/// How much a name says about the value assigned to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum CredentialKind {
    /// A password: any value that is long enough is one.
    Password,
    /// A password of several words: `passphrase`, the key of a wireless network.
    Passphrase,
    /// A key or token: issued by a program, so the value must look generated.
    Key,
    /// Words that form a key together.
    Phrase,
    /// A name of credentials and of other things: a session id, any key. Only a generated value
    /// counts.
    Vague,
    /// A PIN or a code: digits, or a few characters with digits among them.
    Pin,
}

impl CredentialKind {
    /// Whether a person may have made the value up.
    pub(super) fn is_chosen(self) -> bool {
        matches!(self, Self::Password | Self::Passphrase)
    }
}

/// The kind of credential that a name announces; `None` if it announces none.
///
/// The name is read as words (`dbPassword`, `DB_PASSWORD` and `db-password` alike) and the last
/// ones decide: `password_file`, `token_count` and `secretName` announce nothing.
pub(super) fn credential_kind(name: &[u8]) -> Option<CredentialKind> {
    let words = Words::of(name);
    let list = words.list();
    let mut words: &[&str] = &list;
    while words.len() > 1 && QUALIFIERS.contains(&words[words.len() - 1]) {
        words = &words[..words.len() - 1];
    }
    let (&last, before) = words.split_last()?;
    let previous = before.last().copied().unwrap_or("");
    match last {
        // Public keys are no secret.
        "key" | "keys" if matches!(previous, "public" | "pub" | "publishable") => None,
        "key" if previous == "server" && before.contains(&"application") => None,
        "token" if previous == "key" && before.contains(&"public") => None,
        _ if last.ends_with("publickeytoken") => None,
        _ if last.ends_with("publickey") || last.ends_with("pubkey") => None,
        // The password manager.
        "password" if name == b"1Password" || name == b"1password" => None,
        // The file `/etc/passwd`, which contains no passwords.
        "passwd" if previous == "etc" => None,
        "pass" => {
            Some(if PASS_KINDS.contains(&previous) { CredentialKind::Password } else { CredentialKind::Key })
        }
        "passphrase" | "psk" => Some(CredentialKind::Passphrase),
        "phrase" if matches!(previous, "pass" | "wpa") => Some(CredentialKind::Passphrase),
        "mnemonic" => Some(CredentialKind::Phrase),
        "phrase" | "words" if matches!(previous, "seed" | "recovery" | "mnemonic" | "backup") => {
            Some(CredentialKind::Phrase)
        }
        "pin" | "puk" | "otp" | "totp" => Some(CredentialKind::Pin),
        "id" if previous == "session" => Some(CredentialKind::Vague),
        // Half of the credentials of a store of objects; the other half is secret by its name.
        "id" if previous == "key" && before.contains(&"access") => Some(CredentialKind::Vague),
        "id" if previous == "secret" => Some(CredentialKind::Key),
        "sessionid" => Some(CredentialKind::Vague),
        "code" | "codes" if CODE_KINDS.contains(&previous) => Some(CredentialKind::Pin),
        "community" if matches!(previous, "snmp" | "server") => Some(CredentialKind::Password),
        "key" if matches!(previous, "wifi" | "wlan" | "wpa" | "wep" | "network") => {
            Some(CredentialKind::Passphrase)
        }
        _ if is_password(last) => Some(CredentialKind::Password),
        "key" if previous == "secret" && !before.contains(&"aws") => Some(CredentialKind::Password),
        "secret" if SECRET_KINDS.contains(&previous) => Some(CredentialKind::Password),
        _ if is_key(last, previous, before) => Some(CredentialKind::Key),
        "key" => Some(CredentialKind::Vague),
        _ => None,
    }
}

/// Whether the name is that of a service's key, which may also be the key of a message:
/// `routing_key`, `SMS_KEY`.
pub(super) fn is_key_of_service(name: &[u8]) -> bool {
    let words = Words::of(name);
    let list = words.list();
    match &list[..] {
        [.., "access", "key", "id"] => true,
        [.., service, "key"] => SERVICES.contains(service),
        _ => false,
    }
}

/// Whether the word, in lower case, is the word for a password in some language.
pub(super) fn names_password(word: &[u8]) -> bool {
    PASSWORD_NAMES.iter().any(|name| name.as_bytes() == word)
}

/// Whether the name is that of a public key and the value its id or fingerprint, as in
/// `signingkey = …` of Git and `GPG_KEY=…` of container images.
pub(super) fn is_public_key_id(name: &[u8], value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").unwrap_or(value);
    if ![8, 16, 40].contains(&digits.len()) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let words = Words::of(name);
    match &words.list()[..] {
        [.., "signingkey"] => true,
        [.., "signing", "key"] => name.ends_with(b"signingKey") && !digits.iter().any(u8::is_ascii_lowercase),
        [before @ .., "key" | "keys"] => before.iter().any(|word| matches!(*word, "gpg" | "pgp")),
        _ => false,
    }
}

fn is_password(word: &str) -> bool {
    PASSWORD_NAMES.contains(&word)
        || ["password", "passwd", "passphrase"].iter().any(|ending| word.ends_with(ending))
        || word.strip_suffix("pw").is_some_and(|kind| PASS_KINDS.contains(&kind))
        || word.strip_suffix("pass").is_some_and(|kind| PASS_KINDS.contains(&kind))
}

fn is_key(last: &str, previous: &str, before: &[&str]) -> bool {
    match last {
        "key" => KEY_KINDS.contains(&previous),
        "base" => previous == "key" && before.len() >= 2 && before[before.len() - 2] == "secret",
        // The names of keys in a kubeconfig.
        "data" => {
            previous == "key"
                && before.iter().any(|word| ["client", "private", "tls", "server"].contains(word))
        }
        "token" => !TOKEN_OF_TEXT.contains(&previous),
        "pat" => PAT_KINDS.contains(&previous),
        "seed" => SEED_KINDS.contains(&previous),
        "salt" => SALT_KINDS.contains(&previous),
        "response" | "assertion" => previous == "saml",
        _ => KEY_NAMES.contains(&last) || FUSED_STEMS.iter().any(|stem| last.ends_with(stem)),
    }
}

/// Whether a URL parameter of this name contains a credential, beyond the names that always do.
pub(super) fn is_secret_parameter(name: &[u8]) -> bool {
    const PARAMETERS: [&str; 13] = [
        "appid",
        "app_id",
        "key",
        "sig",
        "signature",
        "code",
        "hmac",
        "sas",
        "auth",
        "otp",
        "ticket",
        "session",
        "sessionid",
    ];
    Words::of(name).list().last().is_some_and(|last| PARAMETERS.contains(last))
}

// A name split into words: `dbPassword`, `DB_PASSWORD` and `db-password` alike.

/// A name split into lower-case words, without an allocation for each.
struct Words {
    lower: String,
    ends: Vec<(usize, usize)>,
}

impl Words {
    /// Splits at punctuation, at a capital after a lower-case letter, before the last of several
    /// capitals, and at digits.
    fn of(name: &[u8]) -> Self {
        /// Longer names are cut to their end, which decides. In bytes.
        const MAX_BYTES: usize = 96;
        let name = &name[name.len().saturating_sub(MAX_BYTES)..];
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

// The words in names of credentials.

#[rustfmt::skip]
const PASSWORD_NAMES: &[&str] = &[
    "password", "passwd", "pwd", "pw", "passcode", "psw", "pword", "passwords", "sshpass",
    // Spanish, Portuguese, German, Dutch, French, Italian, Polish, Swedish, as far as ASCII goes.
    "contrasena", "senha", "passwort", "kennwort", "losungswort", "wachtwoord", "mdp", "passe", "haslo", "losenord",
    "parola", "heslo", "salasana", "adgangskode", "passord", "jelszo", "lozinka", "geslo", "motdepasse",
    // The names of SNMP passwords.
    "rocommunity", "rwcommunity",
];

#[rustfmt::skip]
const KEY_NAMES: &[&str] = &[
    "secret", "token", "auth", "authorization", "credential", "credentials", "creds", "cred", "jwt",
    "bearer", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "phpsessid", "jsessionid",
    "sid", "samlresponse", "samlassertion", "dockerconfigjson",
];

/// Stems at the end of a compound word: `authtoken`, `clientsecret`.
#[rustfmt::skip]
const FUSED_STEMS: &[&str] = &[
    "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "accountkey", "authkey",
    "signingkey",
];

/// Words that make a following `pass` a password; a compiler's pass and a passed test are none.
#[rustfmt::skip]
const PASS_KINDS: &[&str] = &[
    "db", "database", "user", "admin", "root", "ks", "smtp", "mail", "email", "imap", "ftp", "sftp", "ssh", "redis", "mysql", "pg",
    "postgres", "mongo", "rabbitmq", "proxy", "sudo", "auth", "login", "basic", "http", "ldap", "keystore", "store", "key", "api", "trust", "truststore", "export", "vault", "wifi", "mqtt", "vnc", "rdp", "bind", "sql", "service",
    "app", "become", "ansible", "winrm", "pgp", "gpg", "backup", "deploy", "my", "ipmi", "bmc", "sa", "oracle", "elastic", "grafana", "jenkins", "nexus", "zip", "require",
];

/// Words that make a following `pat` a personal access token; most are patterns.
const PAT_KINDS: &[&str] = &[
    "asana",
    "airtable",
    "jira",
    "bitbucket",
    "databricks",
    "snowflake",
    "npm",
    "hf",
    "linear",
    "notion",
    "vsts",
    "tfs",
    "github",
    "gitlab",
    "gh",
    "gl",
    "git",
    "azure",
    "ado",
    "devops",
    "access",
    "personal",
];

/// Words that make a following `key` a credential; a cache key, a primary key and a public key are
/// none.
#[rustfmt::skip]
const KEY_KINDS: &[&str] = &[
    "api", "access", "private", "secret", "signing", "sign", "encryption", "encrypt", "decryption",
    "account", "auth", "master", "session", "shared", "storage", "deploy", "service", "role", "webhook",
    "server", "ssh", "gpg", "pgp", "rsa", "admin", "hmac", "aes", "jwt", "cookie", "app", "application",
    "subscription", "functions", "function", "write", "developer", "integration", "ingest",
    "ingestion", "bot", "consumer", "merchant", "licence", "root", "personal",
    "client", "security", "activation", "recovery", "wallet", "kms", "tls", "ssl", "maps", "stripe",
    "openai", "anthropic", "datadog", "dd", "sendgrid", "mailgun", "algolia", "twilio", "gemini",
    "license", "validation", "machine", "in", "nonce", "secure", "wpa", "fernet", "crypto", "cipher", "symmetric", "device", "registration", "enrollment",
    "join", "unseal", "otp", "totp", "mfa", "unlock", "vault", "preshared", "vapid", "ecdsa", "dsa", "stream", "streaming", "product",
    "connection", "management", "pass", "hashing", "runner", "agent", "node", "cluster", "data", "env", "project", "team", "org",
    "crypt",
];

/// Words that make a following `key` a credential only if the value is a run of hexadecimal digits:
/// templates and messages have such keys too.
#[rustfmt::skip]
const SERVICES: &[&str] = &[
    "routing", "sms", "mail", "email", "smtp", "push", "weather", "payment", "payments", "billing", "geocoding", "translate", "search", "chat", "captcha", "pos", "terminal", "shop", "gateway",
];

/// Tokens of a text or a page, which open nothing.
#[rustfmt::skip]
const TOKEN_OF_TEXT: &[&str] = &[
    "page", "next", "progress", "continuation", "cancellation", "cancel", "sync", "stop", "eos", "bos", "pad", "unk",
    "mask", "sep", "cls", "special", "design", "end", "start", "first", "last", "current", "peek", "syntax",
    "lexer", "max", "min", "per", "skip", "cursor", "previous",
];

/// Words after the name that only say which one it is.
#[rustfmt::skip]
const QUALIFIERS: &[&str] = &[
    "prod", "production", "staging", "stage", "dev", "development", "test", "testing", "live", "sandbox",
    "local", "old", "new", "primary", "secondary", "backup", "default", "current", "previous", "value",
    "raw", "plain", "plaintext", "string", "str", "base64", "b64", "v", "ro", "rw", "readonly", "main",
    "internal", "external", "override", "eu", "us",
];

/// Words that make a following `code` one that opens something; an exit code does not.
#[rustfmt::skip]
const CODE_KINDS: &[&str] = &[
    "pin", "otp", "totp", "mfa", "fa", "verification", "security", "unlock", "sms", "time", "backup", "recovery", "pairing",
    "scratch", "rescue", "emergency", "door", "gate", "alarm", "access", "login", "pass", "secret", "factor", "authenticator", "reset",
    "confirmation", "activation", "invite", "redeem", "puk",
];

/// Words that make a following `seed` the key of a code generator; a random seed is none.
const SEED_KINDS: &[&str] = &["totp", "otp", "mfa", "fa", "wallet", "secret", "authenticator"];

/// Words that make a following `salt` part of what protects a site.
const SALT_KINDS: &[&str] = &[
    "auth",
    "in",
    "nonce",
    "password",
    "secret",
    "cookie",
    "session",
    "hashids",
    "merchant",
    "token",
    "api",
    "encryption",
];

/// Words that make a following `secret` one that people choose themselves.
#[rustfmt::skip]
const SECRET_KINDS: &[&str] = &[
    "jwt", "session", "cookie", "app", "signing", "auth", "webhook", "shared", "oauth", "hmac", "csrf", "nextauth", "encryption", "radius",
];

#[cfg(test)]
mod tests {
    use super::{CredentialKind, credential_kind};

    #[test]
    fn names_of_credentials_are_reported_in_every_spelling() {
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
            assert_eq!(credential_kind(name.as_bytes()), Some(CredentialKind::Password), "{name}");
        }
        for name in [
            "token",
            "API_KEY",
            "apiKey",
            "X-Api-Key",
            "APIKey",
            "STRIPE_API_KEY",
            "client_secret",
            "authToken",
            "_authToken",
            "SECRET_KEY_BASE",
            "aws_secret_access_key",
            "githubToken",
            "API_KEY_PROD",
            "Proxy-Authorization",
            "GITLAB_PAT",
            "totp_seed",
            "LOGGED_IN_KEY",
            "SAMLResponse",
        ] {
            assert_eq!(credential_kind(name.as_bytes()), Some(CredentialKind::Key), "{name}");
        }
        for (name, weight) in [
            ("storepass", CredentialKind::Password),
            ("rocommunity", CredentialKind::Password),
            ("Kennwort", CredentialKind::Password),
            ("wpa_passphrase", CredentialKind::Passphrase),
            ("seed phrase", CredentialKind::Phrase),
            ("USER_PIN", CredentialKind::Pin),
            ("recovery_codes", CredentialKind::Pin),
        ] {
            assert_eq!(credential_kind(name.as_bytes()), Some(weight), "{name}");
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
            "tokenizer",
            "author",
            "authority",
            "keyboard",
            "monkey",
            "next_page_token",
            "auth_url",
            "compass",
            "multipass",
            "exit_code",
            "random_seed",
            "community",
            "spin",
            "bypassed",
            "public_key",
            "PublicKey",
        ] {
            assert_eq!(credential_kind(name.as_bytes()), None, "{name}");
        }
        for name in ["key", "cache_key", "primary_key", "session_id"] {
            assert_eq!(credential_kind(name.as_bytes()), Some(CredentialKind::Vague), "{name}");
        }
    }
}
