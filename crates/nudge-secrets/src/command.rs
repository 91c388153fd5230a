//! Passwords given to well-known programs on their command line.
//!
//! Flags with a clear name (`--password`) are found as assignments; this is the table of programs
//! with other flags.

mod any_program;

use nudge_core::shell::{self, Reading, Token};

use super::finding::{Budget, Finding};
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::strength::{Strength, is_word_and_number, strength};
use super::token::{begins, find};

/// Finds passwords on command lines.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    PROGRAM_INDEX.each(text, |number, at| {
        let program = &PROGRAMS[number];
        let end = at + program.name.len();
        if begins(text, at) && text.get(end).is_some_and(|b| b" \t".contains(b)) {
            let words = of(text, end);
            // Every program name in a line reads the rest of it.
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
    any_program::detect(text, found);
}

impl Program {
    fn find(&self, text: &[u8], words: &[(usize, usize)]) -> Option<Finding> {
        match self.form {
            Form::Last(least) => {
                // Settings and variables are not counted among the words.
                let is_plain = |word: &&(usize, usize)| {
                    text[word.0] != b'-' && !text[word.0..word.1].iter().any(|b| b"=$".contains(b))
                };
                let plain: Vec<_> = words.iter().filter(is_plain).collect();
                let flagged = self
                    .flags
                    .iter()
                    .any(|flag| words.iter().any(|word| text[word.0..].starts_with(flag.as_bytes())));
                finding(text, unquoted(text, **plain.last().filter(|_| flagged && plain.len() >= least)?))
            }
            Form::Logon => words.iter().find_map(|&word| {
                let (start, end) = unquoted(text, word);
                let slash = start + text[start..end].iter().position(|b| *b == b'/').filter(|at| *at > 0)?;
                let end = start + text[start..end].iter().rposition(|b| *b == b'@')?;
                (slash < end).then(|| finding(text, (slash + 1, end)))?
            }),
            Form::Piped => piped(text, words),
            Form::User => {
                let words: Vec<_> = words.iter().filter(|word| !b"/-".contains(&text[word.0])).collect();
                words.first().filter(|word| &text[word.0..word.1] == self.verb.as_bytes())?;
                finding(text, unquoted(text, **words.get(2)?))
            }
            Form::Share => {
                let share = words.iter().position(|word| text[word.0..].starts_with(b"\\\\"))?;
                let word = words[share + 1..].iter().find(|word| !b"/*".contains(&text[word.0]))?;
                finding(text, unquoted(text, *word))
            }
            Form::First => {
                let word = words.first().filter(|word| b"\"'".contains(&text[word.0]))?;
                finding(text, unquoted(text, *word))
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
                Form::Attached => unquoted(text, rest),
                // `-storepass:env NAME`: only a flag of one letter has its value attached.
                Form::Next if rest.0 < end && text[rest.0] == b':' && flag.len() > 2 => return None,
                Form::Next if rest.0 < end && !flag.starts_with("--") => unquoted(text, rest),
                Form::Next => unquoted(text, next?),
                Form::BehindUser(mark) => {
                    let equals = text.get(rest.0) == Some(&b'=') && flag.starts_with("--");
                    let whole = if equals { (rest.0 + 1, end) } else { next? };
                    let (start, end) = unquoted(text, whole);
                    (start + text[start..end].iter().position(|b| *b == mark)? + 1, end)
                }
                Form::PassPrefix => {
                    let (start, end) = unquoted(text, next?);
                    (start + text[start..end].strip_prefix(b"pass:").map(|_| 5)?, end)
                }
                _ => return None,
            };
            finding(text, (start, end))
        })
    }
}

/// Text piped into a program that reads a password: `echo … | sudo -S`.
fn piped(text: &[u8], words: &[(usize, usize)]) -> Option<Finding> {
    /// How far after the pipe the program's words are searched, in bytes.
    const MAX_DISTANCE: usize = 120;
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
    let rest = &text[last.1..text.len().min(last.1 + MAX_DISTANCE)];
    let pipe = rest.iter().take_while(|b| b" \t".contains(b)).count();
    let command = rest.get(pipe..).filter(|rest| rest.starts_with(b"|"))?;
    let command = &command[..command.iter().position(|b| *b == b'\n').unwrap_or(command.len())];
    let base64 = find(command, b"base64", 0).is_some();
    if !base64 && !READERS.iter().any(|reader| find(command, reader, 0).is_some()) {
        return None;
    }
    let (start, end) = unquoted(text, last);
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

const PROGRAM_COUNT: usize = PROGRAMS.len();

static PROGRAM_INDEX: Index<PROGRAM_COUNT> = Index::exact(names());

const fn names() -> [&'static str; PROGRAM_COUNT] {
    let mut names = [""; PROGRAM_COUNT];
    let mut number = 0;
    while number < PROGRAM_COUNT {
        names[number] = PROGRAMS[number].name;
        number += 1;
    }
    names
}

/// The password in a range, if it is one.
fn finding(text: &[u8], (start, end): (usize, usize)) -> Option<Finding> {
    is_password(&text[start..end]).then_some(Finding { rule: "command-password", start, end })
}

/// Anything but a placeholder, a number (`-u 1000:1000`, `-p 27017`) or another flag.
fn is_password(value: &[u8]) -> bool {
    let is_mark = |b: &&u8| b"\\\"'".contains(b);
    let value = &value[value.iter().take_while(is_mark).count()..];
    let value = &value[..value.len() - value.iter().rev().take_while(is_mark).count()];
    value.len() >= 4
        && !value.starts_with(b"-")
        && (!value.iter().all(u8::is_ascii_digit) || value.len() >= 10)
        && !is_placeholder(value)
}

/// Words from `from` to the end of the command: a line end, a pipe or a separator.
fn of(text: &[u8], from: usize) -> Vec<(usize, usize)> {
    /// More arguments than people write before the flag that matters.
    const MAX_WORDS: usize = 64;
    some(text, from).take(MAX_WORDS).collect()
}

/// The first word of the command.
fn first(text: &[u8], from: usize) -> Option<(usize, usize)> {
    some(text, from).next()
}

fn some(text: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
    shell::tokens(text, from, Reading::Text).map_while(Token::word).map(|word| (word.start, word.end))
}

/// The range without the quotes around it.
fn unquoted(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let inside = shell::unquoted(text, start..end);
    (inside.start, inside.end)
}

// Programs with flags that do not show that a password follows: one row for each form.

/// How a program takes its password.
#[derive(Copy, Clone)]
enum Form {
    /// In the same word as the flag: `-phunter2`.
    Attached,
    /// In the next word, or attached.
    Next,
    /// In the next word, after the user and this separator: `-u user:password`.
    BehindUser(u8),
    /// In the next word, after `pass:`.
    PassPrefix,
    /// The last of at least this many words that are not flags.
    Last(usize),
    /// The second word after the verb that is not a Windows switch: `net user bob …`.
    User,
    /// The word after a share: `net use Z: \\\\host\\share …`.
    Share,
    /// The first word, in quotes.
    First,
    /// After the user and a slash, before the database: `user/password@db`.
    Logon,
    /// The last word, if the output goes to a program that reads a password.
    Piped,
}

/// A program, and how it takes its password.
struct Program {
    name: &'static str,
    /// A word that must be among the arguments, for programs with many uses.
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
    program("altool", "", &["-p"], Form::Next),
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
