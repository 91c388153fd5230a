//! `nudge handoff`: what the next agent or person should know of a session.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::context_sets::SessionParam;
use nudge_memory::manage_sessions::HandoffAnswer;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    /// The session: its id, or the beginning of it [default: the newest here]
    session: Option<String>,
}

impl HandoffArgs {
    /// Prints it as Markdown.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = SessionParam { session: self.session };
        let answer = invocation.call("handoff", &params, surroundings::here(&working_directory()))?;
        invocation.show::<HandoffAnswer>(&answer, |page, answer| {
            page.text(answer.markdown.trim_end()).end();
        })
    }
}
