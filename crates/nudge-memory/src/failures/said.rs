//! What is known of a failure, in a line.

use nudge_context::clean;
use nudge_store::Attempt;

use super::cure::{Cure, Seen};
use super::history::sessions;

/// How much of a command, of an error and of a changed line is shown, in characters.
const COMMAND: usize = 100;
const ERROR: usize = 120;
const CHANGE: usize = 100;

/// What is to be said.
pub(super) struct Report<'r> {
    /// The command; `None` where it is the one that was just run.
    pub(super) what: Option<&'r str>,
    /// Whether others failed in the same way.
    pub(super) and_the_like: bool,
    pub(super) error: Option<&'r str>,
    pub(super) failures: &'r [Attempt],
    pub(super) seen: Option<&'r Seen>,
}

/// `"rtk bun run test" failed here 5 times in 5 sessions: "error: …"; then "bun run test" passed (4 of 5 sessions)`
pub(super) fn report(report: &Report<'_>) -> String {
    let times = match (report.failures.len(), sessions(report.failures)) {
        (1, _) => "once".to_owned(),
        (times, 1) => format!("{times} times in one session"),
        (times, sessions) => format!("{times} times in {sessions} sessions"),
    };
    let error = report.error.map(|line| format!("\"{}\"", inner(line, ERROR)));
    let others = if report.and_the_like { " and the like" } else { "" };
    let head = match (report.what, error) {
        (Some(command), Some(error)) => {
            format!("\"{}\"{others} failed here {times}: {error}", inner(command, COMMAND))
        }
        (Some(command), None) => format!("\"{}\"{others} failed here {times}", inner(command, COMMAND)),
        (None, error) => format!("{} was seen here {times}", error.as_deref().unwrap_or("this error")),
    };
    format!("{head}; {}", report.seen.map_or_else(|| "what helped is not known".to_owned(), followed))
}

/// What followed, and how often that was seen.
pub(super) fn followed(seen: &Seen) -> String {
    let what = of_cure(&seen.cure);
    match (seen.times, seen.sessions) {
        (1, 1) => format!("{what} (seen once, unconfirmed)"),
        (times, sessions) => format!("{what} ({times} of {sessions} sessions)"),
    }
}

fn of_cure(cure: &Cure) -> String {
    match cure {
        Cure::After(text) => format!("it passed after \"{}\" ran", command(text)),
        Cure::Instead(text) => format!("then \"{}\" passed", command(text)),
        Cure::Taken(text) => format!("then \"{}\" ran without that error", command(text)),
        Cure::Edit { file, line } => {
            let line = line.as_deref().map(|line| format!(" to \"{}\"", inner(line, CHANGE)));
            format!("it passed after a change of {}{}", name(file), line.unwrap_or_default())
        }
        Cure::Again => "it passed when run again".to_owned(),
    }
}

/// What helps after a failure, for somebody who will read it later: without how often that was seen.
pub(super) fn lesson(what: &str, error: &str, cure: &Cure) -> String {
    format!("\"{}\" failed with \"{}\"; {}", inner(what, COMMAND), inner(error, ERROR), of_cure(cure))
}

/// A command in one line, without its output's way.
fn command(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_end().trim_end_matches("2>&1").trim_end();
    inner(line, COMMAND)
}

/// What stands between quotation marks of ours, and must not end them.
fn inner(text: &str, most: usize) -> String {
    clean(text, most).replace('"', "'")
}

/// The last two names of a path.
fn name(file: &str) -> String {
    let at = file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    clean(file.get(at..).unwrap_or(file), COMMAND)
}
