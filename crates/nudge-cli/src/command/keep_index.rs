//! `nudge keep-index`: what a process does that was started to bring the search index up. Not for people.

use clap::Args;
use nudge_client::indexing;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct KeepIndexArgs {}

impl KeepIndexArgs {
    /// Brings the index up. Nobody reads an answer.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        indexing::bring_up(&invocation.home()?)?;
        Ok(Exit::Ok)
    }
}
