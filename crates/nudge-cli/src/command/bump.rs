//! `nudge bump`: a hint was useful.

use clap::Args;
use nudge_memory::hints::wire::{BumpParams, HintAnswer};

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct BumpArgs {
    /// Service, module or folder
    component: String,
    /// Name of the fact
    key: String,
    /// How much it counts [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    delta: Option<i64>,
    #[command(flatten)]
    context: ContextArgs,
}

impl BumpArgs {
    /// Counts the use. The lifetime of the hint is not renewed by it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params =
            BumpParams { component: self.component, key: self.key, delta: self.delta, context: None };
        let answer = invocation.call("bump", &params, self.context.context())?;
        invocation.show::<HintAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &HintAnswer) {
    page.good("↑")
        .text(format!(" bumped frecency: use_count={} last_used_at=now", answer.hint.use_count))
        .end();
}
