//! `nudge correct`: other words take the place of a statement.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::knowledge::{ChangeAnswer, CorrectParams};
use nudge_memory::recall::EntryRef;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::{Page, proposal, statement};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct CorrectArgs {
    /// Number of the statement, with or without #
    id: String,
    /// What holds instead
    text: String,
}

impl CorrectArgs {
    /// Corrects it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = CorrectParams { id: EntryRef::Path(self.id), text: self.text };
        let answer = invocation.call("correct", &params, surroundings::here(&working_directory()))?;
        invocation.show::<ChangeAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &ChangeAnswer) {
    if let Some(note) = &answer.proposal {
        return proposal::note(page, note);
    }
    statement::done(page, "corrected, as", &answer.statement, None);
    if let Some(old) = &answer.corrected {
        page.text(format!("  #{} is not injected any more: ", old.id)).line(&old.text).end();
    }
    statement::contradictions(page, &answer.contradicts);
}
