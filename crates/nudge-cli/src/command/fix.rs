//! `nudge fix`: shows what fixed the same failure before.

use std::ffi::{OsStr, OsString};
use std::io::Read;

use clap::Args;
use nudge_core::{Fault, Timestamp};
use nudge_memory::learn::{FindFix, FixAnswer, FixParams, KnownFix};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectFlag;
use crate::invocation::{Invocation, now};
use crate::pages::words::count;
use crate::pages::{Page, time};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Options of nudge may follow the text; all other options belong to it. Quote the
text, or put -- before it, to keep an option such as --json in it.

Examples:
  nudge fix cargo test --workspace
  nudge fix 'error[E0308]: mismatched types' --json
  cargo build 2>&1 | nudge fix -")]
pub(crate) struct FixArgs {
    /// Error text or failed command; - reads standard input
    #[arg(required = true, value_name = "ERROR", allow_hyphen_values = true)]
    error: Vec<String>,
    #[command(flatten)]
    project: ProjectFlag,
}

/// Our options that may follow the text, and whether each takes a value. Short options are left
/// out: most commands that fail have `-p` and `-h` themselves.
const OWN_OPTIONS: [(&str, bool); 5] =
    [("--json", false), ("--help", false), ("--project", true), ("--home", true), ("--color", true)];

/// The words of a command line, with the options of `nudge fix` moved before its text. Otherwise
/// the text would swallow them. Any other command line stays the same.
pub(crate) fn options_first(words: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = words.iter().position(|word| word == "fix") else { return words };
    let (mut first, mut text) = (words[..=at].to_vec(), Vec::new());
    let mut rest = words[at + 1..].iter().cloned();
    while let Some(word) = rest.next() {
        if word == "--" {
            text.push(word);
            text.extend(rest);
            break;
        }
        match own_option(&word) {
            None => text.push(word),
            Some(takes_value) => {
                first.push(word);
                first.extend(takes_value.then(|| rest.next()).flatten());
            }
        }
    }
    first.extend(text);
    first
}

/// Whether the word is one of our options. `Some(true)` if the next word is its value.
fn own_option(word: &OsStr) -> Option<bool> {
    let word = word.to_str()?;
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let (_, takes_value) = OWN_OPTIONS.iter().find(|(own, _)| *own == name)?;
    Some(*takes_value && value.is_none())
}

impl FixArgs {
    /// Searches for the failure, and shows what followed it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let error = match self.error.as_slice() {
            [one] if one == "-" => from_stdin()?,
            words => words.join(" "),
        };
        let params = FixParams { error, project: self.project.param() };
        let answer = invocation.call::<FindFix>(&params, here())?;
        invocation.show(&answer, |page, answer| render(page, answer, now()))
    }
}

fn from_stdin() -> Result<String, Fault> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).map_err(|error| {
        Fault::invalid("stdin", format!("cannot read standard input: {error}"))
            .next("pipe the output of the command that failed")
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Printed if no fix is known.
const NO_KNOWN_FIX: &str = "no known fix";

fn render(page: &mut Page, answer: &FixAnswer, now: Timestamp) {
    if answer.known.is_empty() && answer.alike.is_empty() {
        page.text("no earlier failure like this one here").end();
    }
    if !answer.alike.is_empty() {
        page.faint("not the same error, but similar words:").end();
    }
    for alike in &answer.alike {
        page.strong(&alike.text).end();
        page.text(format!("  {}: {} #{}", time::short_of_seconds(alike.last, now), alike.command, alike.id))
            .end();
        page.text(format!("  {}", alike.followed.as_deref().unwrap_or(NO_KNOWN_FIX))).end();
    }
    for known in &answer.known {
        one(page, known, now);
    }
}

fn one(page: &mut Page, known: &KnownFix, now: Timestamp) {
    let error = known.error.as_deref().unwrap_or("failed without output");
    page.strong(error).end();
    let times = count(i64::try_from(known.times).unwrap_or(i64::MAX), "time");
    let sessions = count(i64::try_from(known.sessions).unwrap_or(i64::MAX), "session");
    let last = time::short_of_seconds(known.last, now);
    page.text(format!("  seen {times} in {sessions}, last {last}: {} #{}", known.command, known.id)).end();
    let followed = known.followed.as_deref().unwrap_or(NO_KNOWN_FIX);
    page.text(format!("  {followed}")).end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_options_go_before_the_text() {
        let check = |line: &str, expected: &str| {
            let words = options_first(line.split_whitespace().map(OsString::from).collect());
            let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            assert_eq!(words.join(" "), expected, "{line}");
        };
        check("nudge fix cargo test --json", "nudge fix --json cargo test");
        check("nudge fix cargo test -p x --project .", "nudge fix --project . cargo test -p x");
        check("nudge fix make --project=app -h", "nudge fix --project=app make -h");
        check("nudge --json fix a -- --json", "nudge --json fix a -- --json");
        check("nudge get fix", "nudge get fix");
        check("nudge fix", "nudge fix");
        check("nudge fix x --project", "nudge fix --project x");
    }
}
