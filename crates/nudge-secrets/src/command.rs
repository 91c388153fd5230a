//! Passwords given to well-known programs on their command line.
//!
//! Flags with a telling name (`--password`) are found as assignments; this is the table of those
//! whose flags do not tell.

use super::Finding;
use super::budget::Budget;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::strength::{Strength, strength};
use super::token::{begins, find};
use super::value::is_word_and_number;

mod words;

/// How a program takes its password.
#[derive(Copy, Clone)]
enum Form {
    /// In the same word as the flag: `-phunter2`.
    Attached,
    /// In the next word, or attached.
    Next,
    /// In the next word, behind the user and this mark: `-u user:password`.
    BehindUser(u8),
    /// In the next word, behind `pass:`.
    PassPrefix,
    /// The last of so many words that are no flags, or of more.
    Last(usize),
    /// The second word behind the verb that is no switch of Windows: `net user bob …`.
    User,
    /// The word behind a share: `net use Z: \\\\host\\share …`.
    Share,
    /// The first word, in quotes.
    First,
    /// Behind the user and a slash, before the database: `user/password@db`.
    Logon,
    /// The last word, when the output goes to a program that reads a password there.
    Piped,
}

struct Program {
    name: &'static str,
    /// A word that must occur among the arguments, where the program has many uses.
    verb: &'static str,
    flags: &'static [&'static str],
    form: Form,
}

const fn program(
    name: &'static str,
    verb: &'static str,
    flags: &'static [&'static str],
    form: Form,
) -> Program {
    Program { name, verb, flags, form }
}

#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    program("curl", "", &["-u", "--user", "-U", "--proxy-user"], Form::BehindUser(b':')),
    program("wget", "", &["-u", "--user"], Form::BehindUser(b':')),
    program("http", "", &["-a", "--auth"], Form::BehindUser(b':')),
    program("https", "", &["-a", "--auth"], Form::BehindUser(b':')),
    program("smbclient", "", &["-U"], Form::BehindUser(b'%')),
    program("lftp", "", &["-u"], Form::BehindUser(b',')),
    program("mysql", "", &["-p"], Form::Attached),
    program("mysqldump", "", &["-p"], Form::Attached),
    program("mysqladmin", "", &["-p"], Form::Attached),
    program("mysqlimport", "", &["-p"], Form::Attached),
    program("mariadb", "", &["-p"], Form::Attached),
    program("mariadb-dump", "", &["-p"], Form::Attached),
    program("7z", "", &["-p"], Form::Attached),
    program("7za", "", &["-p"], Form::Attached),
    program("rar", "", &["-hp", "-p"], Form::Attached),
    program("unrar", "", &["-hp", "-p"], Form::Attached),
    program("xfreerdp", "", &["/p:"], Form::Attached),
    program("wlfreerdp", "", &["/p:"], Form::Attached),
    program("sshpass", "", &["-p"], Form::Next),
    program("mongo", "", &["-p"], Form::Next),
    program("mongosh", "", &["-p"], Form::Next),
    program("mongodump", "", &["-p"], Form::Next),
    program("mongorestore", "", &["-p"], Form::Next),
    program("mongoexport", "", &["-p"], Form::Next),
    program("mongoimport", "", &["-p"], Form::Next),
    program("cqlsh", "", &["-p"], Form::Next),
    program("rdesktop", "", &["-p"], Form::Next),
    program("steghide", "", &["-p"], Form::Next),
    program("twine", "", &["-p"], Form::Next),
    program("useradd", "", &["-p"], Form::Next),
    program("usermod", "", &["-p"], Form::Next),
    program("redis-cli", "", &["-a"], Form::Next),
    program("sqlcmd", "", &["-P"], Form::Next),
    program("bcp", "", &["-P"], Form::Next),
    program("isql", "", &["-P"], Form::Next),
    program("unzip", "", &["-P"], Form::Next),
    program("zip", "", &["-P"], Form::Next),
    program("zipcloak", "", &["-P"], Form::Next),
    program("ipmitool", "", &["-P"], Form::Next),
    program("mosquitto_pub", "", &["-P"], Form::Next),
    program("mosquitto_sub", "", &["-P"], Form::Next),
    program("ldapsearch", "", &["-w"], Form::Next),
    program("ldapmodify", "", &["-w"], Form::Next),
    program("ldapadd", "", &["-w"], Form::Next),
    program("ldappasswd", "", &["-w"], Form::Next),
    program("ldapwhoami", "", &["-w"], Form::Next),
    program("snmpwalk", "", &["-c", "-A", "-X"], Form::Next),
    program("snmpget", "", &["-c", "-A", "-X"], Form::Next),
    program("snmpset", "", &["-c", "-A", "-X"], Form::Next),
    program("snmpbulkwalk", "", &["-c", "-A", "-X"], Form::Next),
    program("snmpgetnext", "", &["-c", "-A", "-X"], Form::Next),
    program("snmptrap", "", &["-c", "-A", "-X"], Form::Next),
    program("snmpstatus", "", &["-c", "-A", "-X"], Form::Next),
    program("snmptable", "", &["-c", "-A", "-X"], Form::Next),
    program("redis-cli", "AUTH", &["AUTH"], Form::Next),
    program("chpasswd", "", &["<<<"], Form::BehindUser(b':')),
    program("ansible-vault", "encrypt_string", &["encrypt_string"], Form::Next),
    program("docker", "login", &["-p"], Form::Next),
    program("podman", "login", &["-p"], Form::Next),
    program("helm", "login", &["-p"], Form::Next),
    program("az", "login", &["-p"], Form::Next),
    program("oc", "login", &["-p"], Form::Next),
    program("buildah", "login", &["-p"], Form::Next),
    program("skopeo", "login", &["-p"], Form::Next),
    program("argocd", "login", &["-p"], Form::Next),
    program("gh", "secret", &["-b", "--body"], Form::Next),
    program("az", "secret", &["--value"], Form::Next),
    program("aws", "secretsmanager", &["--secret-string"], Form::Next),
    program("aws", "ssm", &["--value"], Form::Next),
    program("ssh-keygen", "", &["-N", "-P"], Form::Next),
    program("openssl", "", &["-passin", "-passout", "-pass"], Form::PassPrefix),
    program("openssl", "enc", &["-k", "-K"], Form::Next),
    program("nmcli", "", &["password"], Form::Next),
    program("pdftk", "", &["user_pw", "owner_pw", "input_pw"], Form::Next),
    program("keytool", "", &["-storepass", "-keypass", "-srcstorepass", "-deststorepass"], Form::Next),
    program("htpasswd", "", &["-"], Form::Last(3)),
    program("rabbitmqctl", "", &["add_user", "change_password"], Form::Last(3)),
    program("wpa_passphrase", "", &[""], Form::Last(2)),
    program("oathtool", "", &[""], Form::Last(1)),
    program("rclone", "obscure", &["obscure"], Form::Last(2)),
    program("vault", "login", &["login"], Form::Last(2)),
    program("vault", "unseal", &["unseal"], Form::Last(3)),
    program("bw", "login", &["login"], Form::Last(3)),
    program("bw", "unlock", &["unlock"], Form::Last(2)),
    program("cargo", "login", &["login"], Form::Last(2)),
    program("nuget", "setapikey", &["setapikey"], Form::Last(2)),
    program("nuget", "setApiKey", &["setApiKey"], Form::Last(2)),
    program("dotnet", "nuget", &["-p", "-k", "--api-key"], Form::Next),
    program("gem", "push", &["--key", "-k"], Form::Next),
    program("iwconfig", "key", &["s:"], Form::Attached),
    program("mc", "alias", &["alias"], Form::Last(6)),
    program("mysqladmin", "password", &["password"], Form::Next),
    program("composer", "config", &["http-basic"], Form::Last(4)),
    program("net", "user", &["user"], Form::User),
    program("net", "use", &["use"], Form::Share),
    program("expect", "", &["send"], Form::Next),
    program("ConvertTo-SecureString", "", &["-String"], Form::Next),
    program("ConvertTo-SecureString", "", &[""], Form::First),
    program("poetry", "config", &["http-basic"], Form::Last(4)),
    program("security", "import", &["-P"], Form::Next),
    program("erl", "", &["-setcookie"], Form::Next),
    program("snmp-server", "community", &["community"], Form::Next),
    program("user", "insecure-password", &["insecure-password"], Form::Next),
    program("cmdkey", "", &["/pass:"], Form::Attached),
    program("schtasks", "", &["/rp", "/p"], Form::Next),
    program("sqlplus", "", &[""], Form::Logon),
    program("impdp", "", &[""], Form::Logon),
    program("expdp", "", &[""], Form::Logon),
    program("sqlldr", "", &[""], Form::Logon),
    program("echo", "", &[""], Form::Piped),
    program("printf", "", &[""], Form::Piped),
];

/// Finds passwords on command lines.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    INDEX.each(text, |number, at| {
        let program = &PROGRAMS[number];
        let end = at + program.name.len();
        if begins(text, at) && text.get(end).is_some_and(|b| b" \t".contains(b)) {
            let words = words::of(text, end);
            // Every name of a program in one line reads the rest of it.
            if !budget.take(3 * (words.last().map_or(end, |word| word.1) - end)) {
                return;
            }
            if program.verb.is_empty()
                || words.iter().any(|word| &text[word.0..word.1] == program.verb.as_bytes())
            {
                found.extend(program.find(text, &words));
            }
        }
    });
    beside_user(text, found);
    behind_user(text, found);
    here_strings(text, found);
    kept_secrets(text, found);
    sent(text, found);
    in_query(text, found);
}

/// What a script types for a person: `send "…\r"`.
fn sent(text: &[u8], found: &mut Vec<Finding>) {
    let mut from = 0;
    while let Some(at) = find(text, b"send ", from) {
        from = at + 5;
        let rest = &text[from..];
        let marks = rest.iter().take(6).take_while(|b| b"-\\\" ".contains(b)).count();
        let start = from + marks;
        let length = text[start..]
            .iter()
            .take(80)
            .take_while(|b| !b.is_ascii_whitespace() && !b"\\\"'".contains(b))
            .count();
        if marks > 0
            && rest[..marks].contains(&b'"')
            && strength(&text[start..start + length]) > Strength::Plain
        {
            found.push(Finding { rule: "command-password", start, end: start + length });
        }
    }
}

/// User and password as two short parameters: `?u=admin&p=…`.
fn in_query(text: &[u8], found: &mut Vec<Finding>) {
    const REACH: usize = 64;
    let mut from = 0;
    while let Some(at) = find(text, b"&p=", from) {
        from = at + 3;
        let before = &text[at.saturating_sub(REACH)..at];
        let user =
            [&b"?u="[..], b"&u=", b"?user=", b"&user="].iter().any(|name| find(before, name, 0).is_some());
        let length = text[from..]
            .iter()
            .take(128)
            .take_while(|b| b.is_ascii_graphic() && !b"&\"'#<>".contains(b))
            .count();
        if user {
            found.extend(finding(text, (from, from + length)));
        }
    }
}

/// What is given to a program that reads a password: `podman secret create db - <<< …`.
fn here_strings(text: &[u8], found: &mut Vec<Finding>) {
    /// About a command line.
    const REACH: usize = 160;
    const READERS: [&[u8]; 14] = [
        b"secret",
        b"passw",
        b"token",
        b"login",
        b"kinit",
        b"cryptsetup",
        b"auth",
        b"credential",
        b"pass ",
        b"key",
        b"htpasswd",
        b"vault",
        b"gpg",
        b"sudo",
    ];
    let mut from = 0;
    let budget = Budget::of(text);
    while let Some(at) = find(text, b"<<<", from) {
        from = at + 3;
        if !budget.take(REACH) {
            return;
        }
        let line = text[at.saturating_sub(REACH)..at].rsplit(|b| *b == b'\n').next().unwrap_or_default();
        let lower = line.to_ascii_lowercase();
        if !READERS.iter().any(|reader| find(&lower, reader, 0).is_some()) {
            continue;
        }
        let Some(&word) = words::first(text, from).as_ref() else { continue };
        let (start, end) = words::unquoted(text, word);
        let user = if find(&lower, b"chpasswd", 0).is_some() {
            text[start..end].iter().position(|b| *b == b':')
        } else {
            None
        };
        found.extend(finding(text, (start + user.map_or(0, |colon| colon + 1), end)));
    }
}

/// Everything that is given to a store of secrets is one: `fly secrets set A=… B=…`.
fn kept_secrets(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    KEPT.each(text, |number, at| {
        let from = at + KEPT.length(number);
        let literal = text[from - 1] == b'=';
        for word in words::of(text, from).into_iter().take(if literal { 1 } else { 24 }) {
            if !budget.take(2 * (word.1 - word.0)) {
                return;
            }
            let (start, end) = words::unquoted(text, word);
            let Some(equals) = text[start..end].iter().position(|b| *b == b'=').filter(|at| *at > 0) else {
                continue;
            };
            let name = &text[start..start + equals];
            if name.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b)) {
                found.extend(finding(text, words::unquoted(text, (start + equals + 1, end))));
            }
        }
    });
}

/// The password of a program that the table does not have: `-u user -p …`.
fn beside_user(text: &[u8], found: &mut Vec<Finding>) {
    /// About a short command line.
    const REACH: usize = 80;
    let mut from = 0;
    while let Some(at) = find(text, b" -p", from) {
        from = at + 3;
        let before = &text[at.saturating_sub(REACH)..at];
        let user = [&b" -u "[..], b" -U ", b" --user"].iter().any(|flag| find(before, flag, 0).is_some());
        let Some(&word) = words::first(text, from).as_ref().filter(|_| user) else { continue };
        let (start, end) = words::unquoted(text, word);
        if strength(&text[start..end]) > Strength::Plain {
            found.push(Finding { rule: "command-password", start, end });
        }
    }
}

/// User and password in one word, whatever the program: `--user root:…`.
fn behind_user(text: &[u8], found: &mut Vec<Finding>) {
    USERS.each(text, |number, at| {
        let Some(word) = words::first(text, at + USERS.length(number)) else { return };
        let (start, end) = words::unquoted(text, word);
        let Some(colon) = text[start..end].iter().position(|b| *b == b':').filter(|at| *at > 0) else {
            return;
        };
        let secret = &text[start + colon + 1..end];
        if strength(secret) > Strength::Plain || is_word_and_number(secret) {
            found.push(Finding { rule: "command-password", start: start + colon + 1, end });
        }
    });
}

/// Flags that take a user with a password.
static USERS: Index<6> =
    Index::exact([" --user ", " --user=", " -u ", " --auth ", " --creds ", " --credentials "]);

/// Verbs behind which everything is kept as a secret.
static KEPT: Index<6> = Index::exact([
    " secrets set ",
    " secret set ",
    " secrets import ",
    " secrets:set ",
    " kv put ",
    " --from-literal=",
]);

impl Program {
    fn find(&self, text: &[u8], words: &[(usize, usize)]) -> Option<Finding> {
        match self.form {
            Form::Last(least) => {
                // Settings and variables are none of the words that are counted.
                let is_plain = |word: &&(usize, usize)| {
                    text[word.0] != b'-' && !text[word.0..word.1].iter().any(|b| b"=$".contains(b))
                };
                let plain: Vec<_> = words.iter().filter(is_plain).collect();
                let flagged = self
                    .flags
                    .iter()
                    .any(|flag| words.iter().any(|word| text[word.0..].starts_with(flag.as_bytes())));
                finding(
                    text,
                    words::unquoted(text, **plain.last().filter(|_| flagged && plain.len() >= least)?),
                )
            }
            Form::Logon => words.iter().find_map(|&word| {
                let (start, end) = words::unquoted(text, word);
                let slash = start + text[start..end].iter().position(|b| *b == b'/').filter(|at| *at > 0)?;
                let end = start + text[start..end].iter().rposition(|b| *b == b'@')?;
                (slash < end).then(|| finding(text, (slash + 1, end)))?
            }),
            Form::Piped => piped(text, words),
            Form::User => {
                let words: Vec<_> = words.iter().filter(|word| !b"/-".contains(&text[word.0])).collect();
                words.first().filter(|word| &text[word.0..word.1] == self.verb.as_bytes())?;
                finding(text, words::unquoted(text, **words.get(2)?))
            }
            Form::Share => {
                let share = words.iter().position(|word| text[word.0..].starts_with(b"\\\\"))?;
                let word = words[share + 1..].iter().find(|word| !b"/*".contains(&text[word.0]))?;
                finding(text, words::unquoted(text, *word))
            }
            Form::First => {
                let word = words.first().filter(|word| b"\"'".contains(&text[word.0]))?;
                finding(text, words::unquoted(text, *word))
            }
            _ => self.password(text, words),
        }
    }

    fn password(&self, text: &[u8], words: &[(usize, usize)]) -> Option<Finding> {
        words.iter().enumerate().find_map(|(number, &(start, end))| {
            let word = &text[start..end];
            let flag = self.flags.iter().find(|flag| word.starts_with(flag.as_bytes()))?;
            let rest = (start + flag.len(), end);
            let next = words.get(number + 1).copied().filter(|_| rest.0 == end);
            let (start, end) = match self.form {
                Form::Attached => words::unquoted(text, rest),
                Form::Next if rest.0 < end && !flag.starts_with("--") => words::unquoted(text, rest),
                Form::Next => words::unquoted(text, next?),
                Form::BehindUser(mark) => {
                    let equals = text.get(rest.0) == Some(&b'=') && flag.starts_with("--");
                    let whole = if equals { (rest.0 + 1, end) } else { next? };
                    let (start, end) = words::unquoted(text, whole);
                    (start + text[start..end].iter().position(|b| *b == mark)? + 1, end)
                }
                Form::PassPrefix => {
                    let (start, end) = words::unquoted(text, next?);
                    (start + text[start..end].strip_prefix(b"pass:").map(|_| 5)?, end)
                }
                _ => return None,
            };
            finding(text, (start, end))
        })
    }
}

fn finding(text: &[u8], (start, end): (usize, usize)) -> Option<Finding> {
    is_password(&text[start..end]).then_some(Finding { rule: "command-password", start, end })
}

/// What is piped into a program that reads a password: `echo … | sudo -S`.
fn piped(text: &[u8], words: &[(usize, usize)]) -> Option<Finding> {
    /// How far behind the pipe the program's words are looked for.
    const REACH: usize = 120;
    const READERS: [&[u8]; 22] = [
        b"secrets create",
        b"secret create",
        b"versions add",
        b"--data-file",
        b"passwd",
        b"pass insert",
        b"passphrase-fd",
        b"kinit",
        b"secrets set",
        b"variable set",
        b"auth login",
        b"docker login",
        b"kubectl create secret",
        b"kv put",
        b"stdin",
        b"sudo -S",
        b"chpasswd",
        b"--with-token",
        b"cryptsetup",
        b"smbpasswd",
        b"secret set",
        b"secret put",
    ];
    let last = *words.last()?;
    let rest = &text[last.1..text.len().min(last.1 + REACH)];
    let pipe = rest.iter().take_while(|b| b" \t".contains(b)).count();
    let command = rest.get(pipe..).filter(|rest| rest.starts_with(b"|"))?;
    let command = &command[..command.iter().position(|b| *b == b'\n').unwrap_or(command.len())];
    let base64 = find(command, b"base64", 0).is_some();
    if !base64 && !READERS.iter().any(|reader| find(command, reader, 0).is_some()) {
        return None;
    }
    let (start, end) = words::unquoted(text, last);
    let sure =
        [&b"cryptsetup"[..], b"passwd", b"sudo -S"].iter().any(|reader| find(command, reader, 0).is_some());
    if text[start..end].iter().any(u8::is_ascii_whitespace) && !sure {
        return None;
    }
    if base64 {
        // Only a user with a password: anything may be encoded.
        let colon = start + text[start..end].iter().position(|b| *b == b':').filter(|at| *at > 0)?;
        let secret = &text[colon + 1..end];
        let odd = strength(secret) > Strength::Plain || is_word_and_number(secret);
        return odd.then_some(Finding { rule: "command-password", start: colon + 1, end });
    }
    let escaped = text[start..end].ends_with(b"\\n");
    let end = if escaped { end - 2 } else { end };
    let user = if find(command, b"chpasswd", 0).is_some() {
        text[start..end].iter().position(|b| *b == b':')
    } else {
        None
    };
    finding(text, (start + user.map_or(0, |colon| colon + 1), end))
}

/// Anything but a placeholder, a number (`-u 1000:1000`, `-p 27017`) or another flag.
fn is_password(value: &[u8]) -> bool {
    let value = &value[value.iter().take_while(|b| b"\\\"'".contains(b)).count()..];
    value.len() >= 4
        && !value.starts_with(b"-")
        && (!value.iter().all(u8::is_ascii_digit) || value.len() >= 10)
        && !is_placeholder(value)
}

const COUNT: usize = PROGRAMS.len();

static INDEX: Index<COUNT> = Index::exact(names());

const fn names() -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut number = 0;
    while number < COUNT {
        names[number] = PROGRAMS[number].name;
        number += 1;
    }
    names
}
