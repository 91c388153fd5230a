//! `nudge fix`: what helped when the same failed before.

use std::io::Read;

use clap::Args;
use nudge_core::{Fault, Timestamp};
use nudge_home::surroundings;
use nudge_memory::learn::{FixAnswer, FixParams, KnownFix};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::recall::age;
use crate::pages::words::count;
use crate::projects::named_here_or_all;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct FixArgs {
    /// The error text or the command that failed; - reads it from standard input
    #[arg(required = true, value_name = "ERROR", allow_hyphen_values = true)]
    error: Vec<String>,
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
}

impl FixArgs {
    /// Looks for it, and shows what followed.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let error = match self.error.as_slice() {
            [one] if one == "-" => from_stdin()?,
            words => words.join(" "),
        };
        let params = FixParams { error, project: named_here_or_all(self.project, false) };
        let answer = invocation.call("find_fix", &params, surroundings::here(&working_directory()))?;
        invocation.show::<FixAnswer>(&answer, |page, answer| render(page, answer, now()))
    }
}

fn from_stdin() -> Result<String, Fault> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).map_err(|error| {
        Fault::invalid("stdin", format!("standard input cannot be read: {error}"))
            .next("pipe the output of the command that failed")
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What is said where nothing is known to help.
const UNKNOWN: &str = "what helped is not known";

fn render(page: &mut Page, answer: &FixAnswer, now: Timestamp) {
    if answer.known.is_empty() && answer.alike.is_empty() {
        page.text("nothing like it failed here before").end();
    }
    if !answer.alike.is_empty() {
        page.faint("not the same error; these have its words").end();
    }
    for alike in &answer.alike {
        page.strong(&alike.text).end();
        page.text(format!("  {}: {} #{}", age(alike.last, now), alike.command, alike.id)).end();
        page.text(format!("  {}", alike.followed.as_deref().unwrap_or(UNKNOWN))).end();
    }
    for known in &answer.known {
        one(page, known, now);
    }
}

fn one(page: &mut Page, known: &KnownFix, now: Timestamp) {
    let error = known.error.as_deref().unwrap_or("failed without a word");
    page.strong(error).end();
    let times = count(i64::try_from(known.times).unwrap_or(i64::MAX), "time");
    let sessions = count(i64::try_from(known.sessions).unwrap_or(i64::MAX), "session");
    let last = age(known.last, now);
    page.text(format!("  seen {times} in {sessions}, last {last}: {} #{}", known.command, known.id)).end();
    let followed = known.followed.as_deref().unwrap_or(UNKNOWN);
    page.text(format!("  {followed}")).end();
}
