//! Passwords given to well-known programs on their command line.
//!
//! Flags with a telling name (`--password`) are found as assignments; this is the table of those
//! whose flags do not tell.

use super::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::token::begins;

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

const PROGRAMS: &[Program] = &[
    program("curl", "", &["-u", "--user", "-U", "--proxy-user"], Form::BehindUser(b':')),
    program("wget", "", &["-u", "--user"], Form::BehindUser(b':')),
    program("http", "", &["-a", "--auth"], Form::BehindUser(b':')),
    program("https", "", &["-a", "--auth"], Form::BehindUser(b':')),
    program("smbclient", "", &["-U"], Form::BehindUser(b'%')),
    program("mysql", "", &["-p"], Form::Attached),
    program("mysqldump", "", &["-p"], Form::Attached),
    program("mysqladmin", "", &["-p"], Form::Attached),
    program("mysqlimport", "", &["-p"], Form::Attached),
    program("mariadb", "", &["-p"], Form::Attached),
    program("mariadb-dump", "", &["-p"], Form::Attached),
    program("7z", "", &["-p"], Form::Attached),
    program("sshpass", "", &["-p"], Form::Next),
    program("redis-cli", "", &["-a"], Form::Next),
    program("mongo", "", &["-p"], Form::Next),
    program("mongosh", "", &["-p"], Form::Next),
    program("mongodump", "", &["-p"], Form::Next),
    program("sqlcmd", "", &["-P"], Form::Next),
    program("unzip", "", &["-P"], Form::Next),
    program("zip", "", &["-P"], Form::Next),
    program("ldapsearch", "", &["-w"], Form::Next),
    program("ldapmodify", "", &["-w"], Form::Next),
    program("docker", "login", &["-p"], Form::Next),
    program("podman", "login", &["-p"], Form::Next),
    program("helm", "login", &["-p"], Form::Next),
    program("az", "login", &["-p"], Form::Next),
    program("oc", "login", &["-p"], Form::Next),
    program("openssl", "", &["-passin", "-passout", "-pass"], Form::PassPrefix),
];

/// Finds passwords on command lines.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    INDEX.each(text, |number, at| {
        let program = &PROGRAMS[number];
        let end = at + program.name.len();
        if begins(text, at) && text.get(end).is_some_and(|b| b" \t".contains(b)) {
            let words = words::of(text, end);
            if program.verb.is_empty()
                || words.iter().any(|word| &text[word.0..word.1] == program.verb.as_bytes())
            {
                found.extend(program.password(text, &words));
            }
        }
    });
}

impl Program {
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
            };
            is_password(&text[start..end]).then_some(Finding { rule: "command-password", start, end })
        })
    }
}

/// Anything but a placeholder, a number (`-u 1000:1000`, `-p 27017`) or another flag.
fn is_password(value: &[u8]) -> bool {
    value.len() >= 4
        && !value.starts_with(b"-")
        && !value.iter().all(u8::is_ascii_digit)
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
