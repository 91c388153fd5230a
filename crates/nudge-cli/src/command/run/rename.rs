//! `nudge run rename`: gives a run another name.

use clap::Args;
use nudge_memory::runs::{RenameRunParams, RunAccepted};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    /// New name
    #[arg(value_name = "NEW")]
    name: String,
}

impl RenameArgs {
    /// Renames the run.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let before = self.run.clone();
        let params = RenameRunParams { run: self.run, name: self.name };
        let answer = invocation.call("rename_run", &params, here())?;
        invocation.show::<RunAccepted>(&answer, |page, after| {
            page.good("✔").text(" renamed ").strong(&before).text(" to ").strong(&after.run).end();
        })
    }
}
