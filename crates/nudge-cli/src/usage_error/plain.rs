//! The most common mistakes on a command line, in plain words and with the closest match.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::help::lists_option;
use crate::pages::Page;

/// Our message for this kind of mistake; `None` if there is none.
pub(super) fn text(error: &clap::Error) -> Option<String> {
    let (what, next) = match error.kind() {
        ErrorKind::InvalidSubcommand => command(error)?,
        ErrorKind::UnknownArgument => argument(error)?,
        ErrorKind::InvalidValue => value(error)?,
        ErrorKind::ValueValidation => invalid(error)?,
        _ => return None,
    };
    // A usage error is never cut: all of it must be readable.
    let mut page = Page::new(usize::MAX);
    page.bad("error:").text(" ").line(what).end();
    page.strong("hint:").text(" ").line(next).end();
    Some(page.into_text())
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
