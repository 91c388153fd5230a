//! `nudge entry update`: records how far the work has come.

use clap::Args;
use nudge_memory::entries::UpdateParams;

use super::outcome;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::RunFlag;
use crate::invocation::Invocation;
use crate::pages::entry::Deed;

const DEED: Deed = Deed { done: "recorded", would: "would record", after: "" };

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// What was done or found, in a sentence
    text: String,
    /// 102 goes on, 200 done, 204 nothing to do, 422 impossible [default: 102]
    #[arg(long, value_name = "STATUS")]
    status: Option<u16>,
    #[command(flatten)]
    run: RunFlag,
}

impl UpdateArgs {
    /// Records the progress.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = UpdateParams { body: self.text, status: self.status, run: self.run.run };
        let answer = invocation.call("update", &params, here())?;
        outcome::show(invocation, &answer, DEED)
    }
}
