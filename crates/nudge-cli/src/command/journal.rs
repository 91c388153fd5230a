//! `nudge journal`: summaries of sessions, in their own words.

use clap::{Args, Subcommand};
use nudge_memory::manage_sessions::{
    JournalEntry, JournalIds, JournalParams, ListJournal, MarkReflected, StoreJournal, StoreJournalParams,
};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{ProjectsFlags, SessionFlag};
use crate::invocation::Invocation;
use crate::pages::words::{count, paragraph};
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct JournalArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Summarise a session: what was done, what got in the way, what is next
    Add {
        /// What was done, and the result
        summary: String,
        /// Something that got in the way; may be repeated
        #[arg(long = "friction", value_name = "TEXT")]
        friction: Vec<String>,
        /// A next step; may be repeated
        #[arg(long = "next", value_name = "TEXT")]
        next: Vec<String>,
        #[command(flatten)]
        session: SessionFlag,
    },
    /// List entries, newest first
    Ls {
        /// Only entries that were not reviewed yet
        #[arg(long)]
        unreflected: bool,
        #[command(flatten)]
        projects: ProjectsFlags,
    },
    /// Mark entries as reviewed
    Reflect {
        /// Entry numbers
        #[arg(required = true)]
        ids: Vec<i64>,
    },
}

impl JournalArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Add { summary, friction, next, session } => {
                let params = StoreJournalParams {
                    summary,
                    friction_points: friction,
                    next_steps: next,
                    session: session.session,
                };
                let answer = invocation.call::<StoreJournal>(&params, here())?;
                invocation.show(&answer, |page, answer| {
                    page.good("✔").text(format!(" saved as #{}", answer.id)).end();
                })
            }
            Verb::Ls { unreflected, projects } => {
                let project = projects.param();
                let params = JournalParams { unreflected_only: unreflected, limit: None, project };
                let answer = invocation.call::<ListJournal>(&params, here())?;
                invocation.show(&answer, |page, entries| {
                    if entries.is_empty() {
                        page.text("no entries; add one with `nudge journal add`").end();
                    }
                    entries.iter().for_each(|entry| show(page, entry));
                })
            }
            Verb::Reflect { ids } => {
                let answer = invocation.call::<MarkReflected>(&JournalIds { ids }, here())?;
                invocation.show(&answer, |page, answer| {
                    let marked = i64::try_from(answer.marked).unwrap_or(i64::MAX);
                    page.good("✔").text(format!(" marked {} as reviewed", count(marked, "entry"))).end();
                })
            }
        }
    }
}

fn show(page: &mut Page, entry: &JournalEntry) {
    let seen = if entry.reflected_at.is_some() { ", reviewed" } else { "" };
    page.strong(format!("#{}", entry.id)).text(format!("  {}{seen}", time::short_of_text(&entry.at))).end();
    paragraph(page, "  ", &entry.summary);
    entry.friction_points.iter().for_each(|line| {
        paragraph(page, "  ", &format!("friction: {line}"));
    });
    entry.next_steps.iter().for_each(|line| {
        paragraph(page, "  ", &format!("next: {line}"));
    });
}
