//! `nudge keep-index`: the body of a process that Nudge starts to update the search index. Not for
//! users.

use clap::Args;
use nudge_client::indexing;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct KeepIndexArgs {}

impl KeepIndexArgs {
    /// Updates the index. Nobody reads the output.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        indexing::update_index(&invocation.home()?)?;
        Ok(Exit::Ok)
    }
}
