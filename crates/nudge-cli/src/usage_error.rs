//! Handles a command line that the parser rejects or that asks for help: the output and the exit
//! code.
//!
//! Agents treat exit code 2 as a request to stop. A mistyped flag is no reason to stop: `nudge
//! record` exits 1 for it, and `nudge hook` does its work anyway.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::time::Instant;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Parser, ValueEnum};
use nudge_core::Fault;

use crate::cli::help::{self, lists_option};
use crate::cli::{self, Cli};
use crate::exit::{Exit, Failure};
use crate::fast_path::FastPath;
use crate::output::{ColorMode, Output, not_written, to_stderr, to_stdout};
use crate::pages::Page;
use crate::sanitize::{sanitize, sanitize_line};

/// Prints the error, or the requested page.
pub(crate) fn exit(error: &clap::Error, began: Instant) -> Exit {
    let words = cli::words();
    // The parser stopped before it could read `--color`.
    let _ = Output::new(false, color(&words));
    if !error.use_stderr() {
        let page = page(error, words);
        return to_stdout(&page).map_or_else(|error| not_written(&error, Exit::Ok), |()| Exit::Ok);
    }
    let asked = TypedLine::of(&Cli::command(), words.iter().skip(1).cloned());
    if asked.command == "hook" {
        return hook(asked.words, error, began);
    }
    // The messages of `record` are on standard error, whatever the options.
    if is_json(&words) && asked.command != "record" {
        let (what, next) = plain(error).unwrap_or_else(|| as_parsed(error));
        let fault = Fault::invalid("usage", sanitize_line(&what)).next(sanitize_line(&next));
        let _ = Output::new(true, ColorMode::Never).fail(&Failure::Fault(fault));
    } else {
        say(error);
    }
    if asked.command == "record" { Exit::Failed } else { Exit::Usage }
}

/// The requested page. A help page is rendered again from the tree with the help texts.
fn page(error: &clap::Error, words: Vec<OsString>) -> String {
    // The version needs no help page, and building one takes longer than everything else.
    if error.kind() == ErrorKind::DisplayVersion {
        return error.to_string();
    }
    match help::pages().try_get_matches_from(words) {
        Err(page) if page.kind() == error.kind() => page.render().ansi().to_string(),
        _ => error.render().ansi().to_string(),
    }
}

/// Whether the words ask for JSON, as far as they show it without parsing.
fn is_json(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "--json")
}

/// When to use colour, as far as the words show it without parsing.
fn color(words: &[OsString]) -> ColorMode {
    let mut words = words.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next().unwrap_or_default().into_owned(),
            Some(rest) => rest.trim_start_matches('=').to_owned(),
            None => continue,
        };
        return ColorMode::from_str(&value, true).unwrap_or_default();
    }
    ColorMode::default()
}

/// Records the event as if nothing were wrong. Only a user at a terminal sees the error.
fn hook(words: Vec<OsString>, error: &clap::Error, began: Instant) -> Exit {
    let taken = FastPath::asked(words.into_iter()).and_then(|path| path.run(began));
    taken.unwrap_or_else(|| {
        if std::io::stdin().is_terminal() {
            say(error);
        }
        Exit::Ok
    })
}

/// Prints the error: in our words if they are plainer, else in the parser's.
fn say(error: &clap::Error) {
    match text(error) {
        Some(text) => to_stderr(&text),
        None => say_as_parsed(error),
    }
}

/// Prints the parser's message. It repeats words of the command line, and a script may have those
/// from anywhere. So the line is parsed again with sanitised words: then the only escape sequences
/// in the message are our colours.
fn say_as_parsed(error: &clap::Error) {
    let words = cli::words();
    let harmless: Vec<String> = words.iter().map(|word| sanitize_line(&word.to_string_lossy())).collect();
    let same = words.iter().zip(&harmless).all(|(word, harmless)| word == harmless.as_str());
    let page = if same {
        error.render().ansi().to_string()
    } else {
        match Cli::try_parse_from(harmless) {
            Err(again) if again.use_stderr() => again.render().ansi().to_string(),
            // The sanitised words are valid, so print the original error without colours.
            _ => sanitize(&error.render().to_string()).into_owned(),
        }
    };
    to_stderr(&page);
}

/// The command in a command line, as far as the words show it without parsing.
#[derive(Debug, PartialEq, Eq)]
struct TypedLine {
    /// The name of the command; empty when there is none.
    command: String,
    /// The command and everything after it, preceded by the home that was given before it.
    words: Vec<OsString>,
}

impl TypedLine {
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

/// Whether the word after this flag is its value.
fn takes_value(cli: &Command, flag: &str) -> bool {
    cli.get_arguments().filter(|arg| arg.get_action().takes_values()).any(|arg| {
        let long = arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
        let short = arg.get_short().is_some_and(|short| flag == format!("-{short}"));
        long || short
    })
}

// The most common mistakes on a command line, in plain words and with the closest match.

/// Our message for this kind of mistake; `None` if there is none.
fn text(error: &clap::Error) -> Option<String> {
    let (what, next) = plain(error)?;
    // A usage error is never cut: all of it must be readable.
    let mut page = Page::new(usize::MAX);
    page.bad("error:").text(" ").line(what).end();
    page.strong("hint:").text(" ").line(next).end();
    Some(page.into_text())
}

/// What is wrong and what to do, in our words.
fn plain(error: &clap::Error) -> Option<(String, String)> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => command(error),
        ErrorKind::UnknownArgument => argument(error),
        ErrorKind::InvalidValue => value(error),
        ErrorKind::ValueValidation => invalid(error),
        _ => None,
    }
}

/// The same in the parser's words: its message without the usage.
fn as_parsed(error: &clap::Error) -> (String, String) {
    let message = error.render().to_string();
    let lines = message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let what = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let what = what.strip_prefix("error: ").unwrap_or(&what).to_owned();
    (what, format!("`{} --help` shows the arguments", command_of(error)))
}

fn command(error: &clap::Error) -> Option<(String, String)> {
    let given = one(error, ContextKind::InvalidSubcommand)?;
    let next = did_you_mean(&many(error, ContextKind::SuggestedSubcommand))
        .unwrap_or_else(|| "`nudge --help` lists the commands".to_owned());
    Some((format!("unknown command `{given}`"), next))
}

fn argument(error: &clap::Error) -> Option<(String, String)> {
    let given = one(error, ContextKind::InvalidArg)?;
    let command = command_of(error);
    if !given.starts_with('-') {
        return Some((
            format!("unexpected argument `{given}`"),
            format!("`{command} --help` shows the arguments"),
        ));
    }
    // An older spelling is accepted, but is never suggested.
    let mut closest = many(error, ContextKind::SuggestedArg);
    closest.retain(|option| lists_option(&command, option));
    let next = did_you_mean(&closest).unwrap_or_else(|| format!("`{command} --help` lists the options"));
    Some((format!("unknown option `{given}`"), next))
}

fn value(error: &clap::Error) -> Option<(String, String)> {
    let (given, arg) = (one(error, ContextKind::InvalidValue)?, one(error, ContextKind::InvalidArg)?);
    let valid = many(error, ContextKind::ValidValue);
    if given.is_empty() || valid.is_empty() {
        return None;
    }
    let closest = many(error, ContextKind::SuggestedValue);
    let next = did_you_mean(&closest).unwrap_or_else(|| format!("use {}", any_of(&valid)));
    Some((format!("`{given}` is not a value for `{arg}`"), next))
}

/// A value that our own parser rejected; its message is the hint.
fn invalid(error: &clap::Error) -> Option<(String, String)> {
    let (given, arg) = (one(error, ContextKind::InvalidValue)?, one(error, ContextKind::InvalidArg)?);
    let why = std::error::Error::source(error)?.to_string();
    Some((format!("`{given}` is not a value for `{arg}`"), why))
}

/// The typed command, such as `nudge search`.
fn command_of(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != "nudge");
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let names: Vec<&str> = words.take_while(is_name).collect();
    if names.is_empty() { "nudge".to_owned() } else { names.join(" ") }
}

/// The closest match; clap lists it last.
fn did_you_mean(matches: &[String]) -> Option<String> {
    matches.last().map(|closest| format!("did you mean `{closest}`?"))
}

/// `a, b or c`.
fn any_of(words: &[String]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

fn one(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn many(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, command: &str, words: &str) {
        let found = TypedLine::of(&Cli::command(), line.split_whitespace().map(OsString::from));
        let words = words.split_whitespace().map(OsString::from).collect();
        assert_eq!(found, TypedLine { command: command.to_owned(), words }, "{line}");
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
