//! `nudge journal`: what sessions came to, in their own words.

use clap::{Args, Subcommand};
use nudge_core::Context;
use nudge_home::surroundings;
use nudge_memory::manage_sessions::{
    JournalEntry, JournalIds, JournalParams, JournalStored, Reflected, StoreJournalParams,
};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::{count, without_millis};
use crate::projects::named_here_or_all;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct JournalArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Wrap a session up: what was done, what got in the way, what comes next
    Add {
        /// What was done and what came of it
        summary: String,
        /// Something that got in the way; can be given several times
        #[arg(long = "friction", value_name = "TEXT")]
        friction: Vec<String>,
        /// Something that comes next; can be given several times
        #[arg(long = "next", value_name = "TEXT")]
        next: Vec<String>,
        /// The session: its id, or the beginning of it [default: the newest here]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// List entries, newest first
    Ls {
        /// Only those that were not looked back on
        #[arg(long)]
        unreflected: bool,
        /// Directory of the project, or its id or name [default: where you are]
        #[arg(long, value_name = "PROJECT")]
        project: Option<String>,
        /// Of all projects
        #[arg(long, conflicts_with = "project")]
        all: bool,
    },
    /// Note that entries were looked back on
    Reflect {
        /// Their numbers
        #[arg(required = true)]
        ids: Vec<i64>,
    },
}

impl JournalArgs {
    /// Does what the verb says.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Add { summary, friction, next, session } => {
                let params =
                    StoreJournalParams { summary, friction_points: friction, next_steps: next, session };
                let answer = invocation.call("store_journal_entry", &params, here())?;
                invocation.show::<JournalStored>(&answer, |page, answer| {
                    page.good("✔").text(format!(" kept as #{}", answer.id)).end();
                })
            }
            Verb::Ls { unreflected, project, all } => {
                let project = named_here_or_all(project, all);
                let params = JournalParams { unreflected_only: unreflected, limit: None, project };
                let answer = invocation.call("list_journal_entries", &params, here())?;
                invocation.show::<Vec<JournalEntry>>(&answer, |page, entries| {
                    if entries.is_empty() {
                        page.text("no entries: `nudge journal add` writes one").end();
                    }
                    entries.iter().for_each(|entry| show(page, entry));
                })
            }
            Verb::Reflect { ids } => {
                let answer = invocation.call("mark_entries_reflected", &JournalIds { ids }, here())?;
                invocation.show::<Reflected>(&answer, |page, answer| {
                    let marked = i64::try_from(answer.marked).unwrap_or(i64::MAX);
                    page.good("✔")
                        .text(format!(" {} marked as looked back on", count(marked, "entry")))
                        .end();
                })
            }
        }
    }
}

fn here() -> Context {
    surroundings::here(&working_directory())
}

fn show(page: &mut Page, entry: &JournalEntry) {
    let seen = if entry.reflected_at.is_some() { ", looked back on" } else { "" };
    page.strong(format!("#{}", entry.id)).text(format!("  {}{seen}", without_millis(&entry.at))).end();
    page.text(format!("  {}", entry.summary)).end();
    entry.friction_points.iter().for_each(|line| {
        page.text(format!("  in the way: {line}")).end();
    });
    entry.next_steps.iter().for_each(|line| {
        page.text(format!("  next: {line}")).end();
    });
}
