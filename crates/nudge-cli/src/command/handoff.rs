//! `nudge handoff`: what the next agent or user should know about a session.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::context_sets::SessionParam;
use nudge_memory::manage_sessions::HandoffAnswer;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    /// Session id, or the start of it [default: the newest session here]
    session: Option<String>,
}

impl HandoffArgs {
    /// Prints the handoff as Markdown.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = SessionParam { session: self.session };
        let answer = invocation.call("handoff", &params, surroundings::here(&working_directory()))?;
        invocation.show::<HandoffAnswer>(&answer, |page, answer| {
            page.text(answer.markdown.trim_end()).end();
        })
    }
}
