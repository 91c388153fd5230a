//! A command line that the parser refuses: what is said of it, and with which exit code.
//!
//! Agents take 2 for a wish to stop what they are doing. A mistyped flag is no reason to: `nudge record` exits 1 for it, and
//! `nudge hook` does its work all the same.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::time::Instant;

use clap::{Command, CommandFactory, Parser};

use crate::cli::Cli;
use crate::exit::Exit;
use crate::fast_path::FastPath;
use crate::output::{not_written, to_stderr, to_stdout};
use crate::sanitize::{sanitize, sanitize_line};

/// Says what is wrong, or prints the page that was asked for.
pub(crate) fn exit(error: &clap::Error, began: Instant) -> Exit {
    if !error.use_stderr() {
        let page = error.render().ansi().to_string();
        return to_stdout(&page).map_or_else(|error| not_written(&error, Exit::Ok), |()| Exit::Ok);
    }
    let asked = Asked::of(&Cli::command(), std::env::args_os().skip(1));
    if asked.command == "hook" {
        return hook(asked.words, error, began);
    }
    say(error);
    if asked.command == "record" { Exit::Failed } else { Exit::Usage }
}

/// Takes the event in as if nothing were wrong. Only a person at a terminal is told.
fn hook(words: Vec<OsString>, error: &clap::Error, began: Instant) -> Exit {
    let taken = FastPath::asked(words.into_iter()).and_then(|path| path.run(began));
    taken.unwrap_or_else(|| {
        if std::io::stdin().is_terminal() {
            say(error);
        }
        Exit::Ok
    })
}

/// Prints what is wrong. It repeats words of the command line, which a script may have from
/// anywhere, so the parser is asked again with those words made harmless: then only the colours in
/// it are escape sequences, and ours.
fn say(error: &clap::Error) {
    let words: Vec<OsString> = std::env::args_os().collect();
    let harmless: Vec<String> = words.iter().map(|word| sanitize_line(&word.to_string_lossy())).collect();
    let same = words.iter().zip(&harmless).all(|(word, harmless)| word == harmless.as_str());
    let page = if same {
        error.render().ansi().to_string()
    } else {
        match Cli::try_parse_from(harmless) {
            Err(again) if again.use_stderr() => again.render().ansi().to_string(),
            // With other words there is nothing wrong, so what was wrong is said without colours.
            _ => sanitize(&error.render().to_string()).into_owned(),
        }
    };
    to_stderr(&page);
}

/// What a command line asks for, as far as can be told without parsing it.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    /// The name of the command; empty when there is none.
    command: String,
    /// The command with all that follows, behind the home that was named before it.
    words: Vec<OsString>,
}

impl Asked {
    fn of(cli: &Command, words: impl Iterator<Item = OsString>) -> Self {
        let mut asked = Self { command: String::new(), words: Vec::new() };
        let mut words = words;
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            if !text.starts_with('-') {
                asked.command = text;
                asked.words.push(word);
                asked.words.extend(words);
                break;
            }
            let value = takes_value(cli, &text).then(|| words.next()).flatten();
            if text == "--home" || text.starts_with("--home=") {
                asked.words.push(word);
                asked.words.extend(value);
            }
        }
        asked
    }
}

/// Whether the word after this flag belongs to it.
fn takes_value(cli: &Command, flag: &str) -> bool {
    cli.get_arguments().filter(|arg| arg.get_action().takes_values()).any(|arg| {
        let long = arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
        let short = arg.get_short().is_some_and(|short| flag == format!("-{short}"));
        long || short
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, command: &str, words: &str) {
        let found = Asked::of(&Cli::command(), line.split_whitespace().map(OsString::from));
        let words = words.split_whitespace().map(OsString::from).collect();
        assert_eq!(found, Asked { command: command.to_owned(), words }, "{line}");
    }

    #[test]
    fn the_command_is_found_behind_flags_and_their_values() {
        check("record --format xml", "record", "record --format xml");
        check("--json -p 9 record --bogus", "record", "record --bogus");
        check("--bogus --home /m --color never hook claude", "hook", "--home /m hook claude");
        check("--home=/m --port=9 hook claude --home", "hook", "--home=/m hook claude --home");
        check("--max-hints record set a", "set", "set a");
        check("--home", "", "--home");
        check("", "", "");
    }
}
