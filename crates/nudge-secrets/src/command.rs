//! Passwords given to well-known programs on their command line.
//!
//! Flags with a clear name (`--password`) are found as assignments; this is the table of programs
//! with other flags.

mod any_program;
mod password;
mod programs;
mod words;

use super::Finding;
use super::budget::Budget;
use super::keyword::Index;
use super::strength::{Strength, is_word_and_number, strength};
use super::token::{begins, find};
use password::finding;
use programs::{Form, PROGRAMS, Program};

/// Finds passwords on command lines.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    INDEX.each(text, |number, at| {
        let program = &PROGRAMS[number];
        let end = at + program.name.len();
        if begins(text, at) && text.get(end).is_some_and(|b| b" \t".contains(b)) {
            let words = words::of(text, end);
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
                // `-storepass:env NAME`: only a flag of one letter has its value attached.
                Form::Next if rest.0 < end && text[rest.0] == b':' && flag.len() > 2 => return None,
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

/// Text piped into a program that reads a password: `echo … | sudo -S`.
fn piped(text: &[u8], words: &[(usize, usize)]) -> Option<Finding> {
    /// How far after the pipe the program's words are searched, in bytes.
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
