//! `nudge forget`: a statement is given up.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::knowledge::{ChangeAnswer, ForgetParams};
use nudge_memory::recall::EntryRef;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::{Page, proposal, statement};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// Number of the statement, with or without #
    id: String,
}

impl ForgetArgs {
    /// Gives it up.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = ForgetParams { id: EntryRef::Path(self.id) };
        let answer = invocation.call("forget", &params, surroundings::here(&working_directory()))?;
        invocation.show::<ChangeAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &ChangeAnswer) {
    match &answer.proposal {
        Some(note) => proposal::note(page, note),
        None => statement::done(page, "forgot", &answer.statement, None),
    }
}
