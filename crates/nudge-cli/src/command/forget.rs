//! `nudge forget`: removes a statement.

use clap::Args;
use nudge_memory::knowledge::{ChangeAnswer, ForgetParams};
use nudge_memory::recall::EntryRef;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::{Page, proposal, statement};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// Statement id, such as 42 or #42
    id: String,
}

impl ForgetArgs {
    /// Removes the statement.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = ForgetParams { id: EntryRef::Path(self.id) };
        let answer = invocation.call("forget", &params, here())?;
        invocation.show::<ChangeAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &ChangeAnswer) {
    match &answer.proposal {
        Some(note) => proposal::note(page, note),
        None => statement::done(page, "forgot", &answer.statement, None),
    }
}
