//! Describes a known failure in one line.

use nudge_context::clean;
use nudge_store::Attempt;

use super::cure::{KnownFixKind, SeenFix};
use super::history::sessions;

/// How much of a command, of an error and of a changed line is shown, in characters.
const COMMAND: usize = 100;
const ERROR: usize = 120;
const CHANGE: usize = 100;

/// What to report.
pub(super) struct Report<'r> {
    /// The command; `None` if it is the one that was just run.
    pub(super) what: Option<&'r str>,
    /// Whether similar commands failed in the same way.
    pub(super) and_the_like: bool,
    pub(super) error: Option<&'r str>,
    pub(super) failures: &'r [Attempt],
    pub(super) seen: Option<&'r SeenFix>,
}

/// `"rtk bun run test" failed here 5 times in 5 sessions: "error: …"; then "bun run test" passed (4
/// of 5 sessions)`
pub(super) fn report(report: &Report<'_>) -> String {
    let times = match (report.failures.len(), sessions(report.failures)) {
        (1, _) => "once".to_owned(),
        (times, 1) => format!("{times} times in one session"),
        (times, sessions) => format!("{times} times in {sessions} sessions"),
    };
    let error = report.error.map(|line| format!("\"{}\"", quotable(line, ERROR)));
    let others = if report.and_the_like { " and the like" } else { "" };
    let head = match (report.what, error) {
        (Some(command), Some(error)) => {
            format!("\"{}\"{others} failed here {times}: {error}", quotable(command, COMMAND))
        }
        (Some(command), None) => format!("\"{}\"{others} failed here {times}", quotable(command, COMMAND)),
        (None, error) => format!("{} was seen here {times}", error.as_deref().unwrap_or("this error")),
    };
    format!("{head}; {}", report.seen.map_or_else(|| "what helped is not known".to_owned(), followed))
}

/// What followed, and how often that was seen.
pub(super) fn followed(seen: &SeenFix) -> String {
    let what = of_cure(&seen.cure);
    match (seen.times, seen.sessions) {
        (1, 1) => format!("{what} (seen once, unconfirmed)"),
        (times, sessions) => format!("{what} ({times} of {sessions} sessions)"),
    }
}

fn of_cure(cure: &KnownFixKind) -> String {
    match cure {
        KnownFixKind::After(text) => format!("it passed after \"{}\" ran", command(text)),
        KnownFixKind::Instead(text) => format!("then \"{}\" passed", command(text)),
        KnownFixKind::Taken(text) => format!("then \"{}\" ran without that error", command(text)),
        KnownFixKind::Edit { file, line } => {
            let line = line.as_deref().map(|line| format!(" to \"{}\"", quotable(line, CHANGE)));
            format!("it passed after a change of {}{}", name(file), line.unwrap_or_default())
        }
        KnownFixKind::Again => "it passed when run again".to_owned(),
    }
}

/// What helps after a failure, for a later reader: without how often it was seen.
pub(super) fn lesson(what: &str, error: &str, cure: &KnownFixKind) -> String {
    format!("\"{}\" failed with \"{}\"; {}", quotable(what, COMMAND), quotable(error, ERROR), of_cure(cure))
}

/// The first line of a command, without a trailing `2>&1`.
fn command(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_end().trim_end_matches("2>&1").trim_end();
    quotable(line, COMMAND)
}

/// A text to put in quotation marks, with its own ones replaced.
fn quotable(text: &str, most: usize) -> String {
    clean(text, most).replace('"', "'")
}

/// The last two components of a path.
fn name(file: &str) -> String {
    let at = file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    clean(file.get(at..).unwrap_or(file), COMMAND)
}
