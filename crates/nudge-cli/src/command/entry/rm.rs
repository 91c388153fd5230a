//! `nudge entry rm`, `cp` and `mv`: remove, copy and rename entries and files.

use clap::Args;
use nudge_core::Fault;
use nudge_memory::entries::{
    CopyEntries, MoveEntries, RemoveEntries, RemoveParams, TransferParams, VerbAnswer,
};
use nudge_memory::operation::Op;

use super::outcome::{VISIBILITIES, show_outcome};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PreviewFlag, RunFlag, YesFlag};
use crate::input::{self, Answer};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::entry::{self, ActionWords};

/// How many paths to name in a question.
const MAX_NAMED: usize = 20;

const REMOVE_WORDS: ActionWords = ActionWords { done: "removed", would: "would remove", after: "" };

const REMOVE_IN_RUN: ActionWords = ActionWords { after: " from the run's view", ..REMOVE_WORDS };

#[derive(Debug, Args)]
#[command(after_long_help = "\
A pattern that matches more than one entry is asked about first. With --run,
entries only leave the view of that run.

Examples:
  nudge entry rm known://auth/plan
  nudge entry rm 'known://plan/*' --preview
  nudge entry rm 'known://plan/*' --yes")]
pub(crate) struct RmArgs {
    /// Path or pattern
    #[arg(value_name = "PATTERN")]
    entry: String,
    /// Only entries whose body this text or pattern finds
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    #[command(flatten)]
    preview: PreviewFlag,
    #[command(flatten)]
    yes: YesFlag,
    #[command(flatten)]
    run: RunFlag,
}

impl RmArgs {
    /// Removes the entries, after a question if there are several.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let words = if self.run.run.is_some() { REMOVE_IN_RUN } else { REMOVE_WORDS };
        let params = RemoveParams {
            path: self.entry,
            filter: self.filter,
            preview: self.preview.preview,
            run: self.run.run,
            files: None,
        };
        if !params.preview && !self.yes.yes && !is_agreed(invocation, &params)? {
            return Ok(input::declined(invocation));
        }
        let answer = invocation.call::<RemoveEntries>(&params, here())?;
        show_outcome(invocation, &answer, words)
    }
}

/// Asks before more than one entry is removed.
fn is_agreed(invocation: &Invocation, params: &RemoveParams) -> Result<bool, Fault> {
    let list = RemoveParams { preview: true, ..params.clone() };
    let found = invocation.ask::<RemoveEntries>(&list, here())?;
    many_agreed(invocation, &found, &params.path, "Remove")
}

/// Asks before a verb reaches more than one entry. `words` begin the question.
pub(super) fn many_agreed(
    invocation: &Invocation,
    found: &VerbAnswer,
    pattern: &str,
    words: &str,
) -> Result<bool, Fault> {
    if found.matched <= 1 {
        return Ok(true);
    }
    let question = format!("{words} {}?", entry::entries(found.matched));
    if !invocation.output.is_json() {
        invocation.output.note(|page| paths(page, found));
    }
    match input::ask(invocation, &question) {
        Answer::Yes => Ok(true),
        Answer::No => Ok(false),
        Answer::Nobody => {
            let why = format!(
                "`{pattern}` matches {}, and there is no terminal to ask in; nothing was changed",
                entry::entries(found.matched)
            );
            Err(Fault::invalid("not_confirmed", why)
                .with("matched", found.matched)
                .next("pass --yes to do it, or --preview to see what it would do"))
        }
    }
}

fn paths(page: &mut Page, found: &VerbAnswer) {
    for result in found.results.iter().take(MAX_NAMED) {
        page.text("  ").line(&result.path).end();
    }
    let more = found.matched.saturating_sub(MAX_NAMED as u64);
    if more > 0 {
        page.text("  ").faint(format!("… and {more} more")).end();
    }
}

// `nudge entry cp` and `nudge entry mv`: copy and rename entries and files.

const COPY_WORDS: ActionWords = ActionWords { done: "copied", would: "would copy", after: "" };

const RENAME_WORDS: ActionWords = ActionWords { done: "renamed", would: "would rename", after: "" };

#[derive(Debug, Args)]
#[command(after_long_help = "\
An entry that exists is never overwritten. For a pattern, the new path has one *
in the place of the part that differs, or ends in /, as in known://old/* to
known://new/*.")]
pub(crate) struct TransferArgs {
    /// Path or pattern
    #[arg(value_name = "PATTERN")]
    entry: String,
    /// New path
    to: String,
    /// Only entries whose body this text or pattern finds
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// How much of the new entry is shown to a model
    #[arg(long, value_name = "V", value_parser = VISIBILITIES)]
    visibility: Option<String>,
    #[command(flatten)]
    preview: PreviewFlag,
    #[command(flatten)]
    run: RunFlag,
}

impl TransferArgs {
    /// Copies the entries.
    pub(crate) fn copy(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.transfer::<CopyEntries>(invocation, COPY_WORDS)
    }

    /// Renames the entries.
    pub(crate) fn rename(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.transfer::<MoveEntries>(invocation, RENAME_WORDS)
    }

    fn transfer<O>(self, invocation: &Invocation, words: ActionWords) -> Result<Exit, Failure>
    where
        O: Op<Params = TransferParams, Answer = VerbAnswer>,
    {
        let params = TransferParams {
            path: self.entry,
            to: self.to,
            filter: self.filter,
            visibility: self.visibility,
            preview: self.preview.preview,
            run: self.run.run,
            files: None,
        };
        let answer = invocation.call::<O>(&params, here())?;
        show_outcome(invocation, &answer, words)
    }
}
