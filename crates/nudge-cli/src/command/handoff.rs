//! `nudge handoff`: what the next agent or user should know about a session.

use clap::Args;
use nudge_memory::context_sets::SessionParam;
use nudge_memory::manage_sessions::HandoffAnswer;

use crate::context_args::here;
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
        let answer = invocation.call("handoff", &params, here())?;
        invocation.show::<HandoffAnswer>(&answer, |page, answer| {
            page.text(answer.markdown.trim_end()).end();
        })
    }
}
