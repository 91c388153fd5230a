//! `nudge correct`: replaces the text of a statement.

use clap::Args;
use nudge_memory::knowledge::{ChangeAnswer, CorrectParams};
use nudge_memory::recall::EntryRef;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::{Page, proposal, statement};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct CorrectArgs {
    /// Statement id, such as 42 or #42
    id: String,
    /// New text
    text: String,
}

impl CorrectArgs {
    /// Replaces the statement.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = CorrectParams { id: EntryRef::Path(self.id), text: self.text };
        let answer = invocation.call("correct", &params, here())?;
        invocation.show::<ChangeAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &ChangeAnswer) {
    if let Some(note) = &answer.proposal {
        return proposal::note(page, note);
    }
    statement::done(page, "corrected; now", &answer.statement, None);
    if let Some(old) = &answer.corrected {
        page.text(format!("  #{} is no longer injected: ", old.id)).line(&old.text).end();
    }
    statement::contradictions(page, &answer.contradicts);
}
