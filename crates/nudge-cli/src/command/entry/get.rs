//! `nudge entry get`: prints entries and files.

use std::io::IsTerminal;

use clap::Args;
use nudge_memory::entries::{EntryView, GetAnswer, GetParams};

use super::outcome;
use super::visibility::VISIBILITIES;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::RunFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::entry;
use crate::pages::words::count;

/// The end of the help page.
const EXAMPLES: &str = "\
The body of a single entry goes to standard output as it is, so that it can be
piped. Lines that --line and --limit select do not change the view.

Examples:
  nudge entry get known://auth/plan
  nudge entry get 'known://**' --preview
  nudge entry get 'known://**' /token/i
  nudge entry get src/main.rs --line 10 --limit 20";

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct GetArgs {
    /// Path or pattern, such as known://plan/* or src/main.rs
    #[arg(value_name = "PATTERN")]
    entry: String,
    /// Only entries whose body this text or pattern finds
    filter: Option<String>,
    /// First line to print; a negative number counts from the end
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    line: Option<i64>,
    /// How many lines to print; a negative number takes the last ones
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    limit: Option<i64>,
    /// List what matches with its cost, and change nothing
    #[arg(long, alias = "manifest")]
    preview: bool,
    /// Visibility to give the entries [default: visible]
    #[arg(long, value_name = "V", value_parser = VISIBILITIES)]
    visibility: Option<String>,
    /// Maximum entries to print [default: 20]
    #[arg(long, value_name = "N")]
    max: Option<u32>,
    /// Make the files part of the project, even if git ignores them
    #[arg(long)]
    persist: bool,
    /// With --persist: protect the files from changes
    #[arg(long, requires = "persist")]
    readonly: bool,
    #[command(flatten)]
    run: RunFlag,
}

impl GetArgs {
    /// Prints the body of a single entry alone, and several under their paths.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = GetParams {
            path: self.entry,
            body: self.filter,
            line: self.line,
            limit: self.limit,
            preview: self.preview,
            visibility: self.visibility,
            max: self.max,
            // Budgets are for models. A person sees everything.
            max_tokens: Some(u32::MAX),
            run: self.run.run,
            persist: self.persist,
            readonly: self.readonly,
            ..GetParams::default()
        };
        let answer = invocation.call("get", &params, here())?;
        let typed: GetAnswer = invocation.typed(&answer)?;
        let failure = typed.failed.as_ref().and_then(outcome::fault_of);
        if invocation.output.is_json() {
            invocation.output.answer(&answer, |_| {});
            return Ok(failure.map_or(Exit::Ok, |fault| Exit::of(&fault)));
        }
        if let Some(fault) = failure {
            return Err(fault.into());
        }
        match typed.entries.as_slice() {
            [only] if !typed.preview && typed.left_out == 0 => Ok(alone(invocation, only)),
            _ => {
                invocation.output.answer(&answer, |page| several(page, &typed, &params.path));
                Ok(Exit::Ok)
            }
        }
    }
}

/// Prints one body. A person also sees what it is.
fn alone(invocation: &Invocation, only: &EntryView) -> Exit {
    if std::io::stdout().is_terminal() || only.body.is_none() {
        invocation.output.aside(|page| {
            page.strong(&only.path).faint(format!("  {}", entry::facts(only))).end();
            if let Some(why) = &only.withheld {
                page.warning("not shown:").text(" ").text(why).end();
            }
        });
    }
    invocation.output.body(only.body.as_deref().unwrap_or_default());
    if only.body.is_some() { Exit::Ok } else { Exit::NotAllowed }
}

fn several(page: &mut Page, answer: &GetAnswer, pattern: &str) {
    if answer.entries.is_empty() {
        page.text("nothing matches ").line(pattern).end();
        return;
    }
    if answer.preview {
        entry::table(page, &answer.entries);
        let bodies = i64::try_from(answer.bodies_to_read).unwrap_or(i64::MAX);
        let (found, read) = (entry::entries(answer.matched), count(bodies, "body"));
        page.faint(format!("{found}, {read} would be read")).end();
    } else {
        for (place, one) in answer.entries.iter().enumerate() {
            if place > 0 {
                page.end();
            }
            entry::in_full(page, one);
        }
    }
    if answer.left_out > 0 {
        page.warning(format!("{} of {} are not shown;", answer.left_out, entry::entries(answer.matched)));
        page.text(format!(" `--max {}` shows them", answer.matched.min(1_000))).end();
    }
}
