//! The words in names of credentials.

#[rustfmt::skip]
pub(super) const PASSWORDS: &[&str] = &[
    "password", "passwd", "pwd", "pw", "passcode", "psw", "pword", "passwords", "sshpass",
    // Spanish, Portuguese, German, Dutch, French, Italian, Polish, Swedish, as far as ASCII goes.
    "contrasena", "senha", "passwort", "kennwort", "losungswort", "wachtwoord", "mdp", "passe", "haslo", "losenord",
    "parola", "heslo", "salasana", "adgangskode", "passord", "jelszo", "lozinka", "geslo", "motdepasse",
    // The names of SNMP passwords.
    "rocommunity", "rwcommunity",
];

#[rustfmt::skip]
pub(super) const KEYS: &[&str] = &[
    "secret", "token", "auth", "authorization", "credential", "credentials", "creds", "cred", "jwt",
    "bearer", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "phpsessid", "jsessionid",
    "sid", "samlresponse", "samlassertion", "dockerconfigjson",
];

/// Stems at the end of a compound word: `authtoken`, `clientsecret`.
#[rustfmt::skip]
pub(super) const FUSED: &[&str] = &[
    "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "accountkey", "authkey",
    "signingkey",
];

/// Words that make a following `pass` a password; a compiler's pass and a passed test are none.
#[rustfmt::skip]
pub(super) const PASS_KINDS: &[&str] = &[
    "db", "database", "user", "admin", "root", "ks", "smtp", "mail", "email", "imap", "ftp", "sftp", "ssh", "redis", "mysql", "pg",
    "postgres", "mongo", "rabbitmq", "proxy", "sudo", "auth", "login", "basic", "http", "ldap", "keystore", "store", "key", "api", "trust", "truststore", "export", "vault", "wifi", "mqtt", "vnc", "rdp", "bind", "sql", "service",
    "app", "become", "ansible", "winrm", "pgp", "gpg", "backup", "deploy", "my", "ipmi", "bmc", "sa", "oracle", "elastic", "grafana", "jenkins", "nexus", "zip", "require",
];

/// Words that make a following `pat` a personal access token; most are patterns.
pub(super) const PAT_KINDS: &[&str] = &[
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
pub(super) const KEY_KINDS: &[&str] = &[
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
pub(super) const SERVICES: &[&str] = &[
    "routing", "sms", "mail", "email", "smtp", "push", "weather", "payment", "payments", "billing", "geocoding", "translate", "search", "chat", "captcha", "pos", "terminal", "shop", "gateway",
];

/// Tokens of a text or a page, which open nothing.
#[rustfmt::skip]
pub(super) const TOKEN_OF_TEXT: &[&str] = &[
    "page", "next", "progress", "continuation", "cancellation", "cancel", "sync", "stop", "eos", "bos", "pad", "unk",
    "mask", "sep", "cls", "special", "design", "end", "start", "first", "last", "current", "peek", "syntax",
    "lexer", "max", "min", "per", "skip", "cursor", "previous",
];

/// Words after the name that only say which one it is.
#[rustfmt::skip]
pub(super) const QUALIFIERS: &[&str] = &[
    "prod", "production", "staging", "stage", "dev", "development", "test", "testing", "live", "sandbox",
    "local", "old", "new", "primary", "secondary", "backup", "default", "current", "previous", "value",
    "raw", "plain", "plaintext", "string", "str", "base64", "b64", "v", "ro", "rw", "readonly", "main",
    "internal", "external", "override", "eu", "us",
];

/// Words that make a following `code` one that opens something; an exit code does not.
#[rustfmt::skip]
pub(super) const CODE_KINDS: &[&str] = &[
    "pin", "otp", "totp", "mfa", "fa", "verification", "security", "unlock", "sms", "time", "backup", "recovery", "pairing",
    "scratch", "rescue", "emergency", "door", "gate", "alarm", "access", "login", "pass", "secret", "factor", "authenticator", "reset",
    "confirmation", "activation", "invite", "redeem", "puk",
];

/// Words that make a following `seed` the key of a code generator; a random seed is none.
pub(super) const SEED_KINDS: &[&str] = &["totp", "otp", "mfa", "fa", "wallet", "secret", "authenticator"];

/// Words that make a following `salt` part of what protects a site.
pub(super) const SALT_KINDS: &[&str] = &[
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
pub(super) const SECRET_KINDS: &[&str] = &[
    "jwt", "session", "cookie", "app", "signing", "auth", "webhook", "shared", "oauth", "hmac", "csrf", "nextauth", "encryption", "radius",
];
