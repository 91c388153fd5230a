//! `nudge bump`: records that a hint was useful.

use clap::Args;
use nudge_memory::hints::wire::{BumpParams, HintAnswer};

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;
use crate::pages::words::count;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct BumpArgs {
    /// Service, module or directory
    component: String,
    /// Name of the hint
    key: String,
    /// How many uses to count [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    delta: Option<i64>,
    /// Also print the use count
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    context: ContextArgs,
}

impl BumpArgs {
    /// Counts one use. This does not renew the lifetime of the hint.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params =
            BumpParams { component: self.component, key: self.key, delta: self.delta, context: None };
        let answer = invocation.call("bump", &params, self.context.context())?;
        let verbose = self.verbose;
        invocation.show::<HintAnswer>(&answer, |page, answer| render(page, answer, verbose))
    }
}

fn render(page: &mut Page, answer: &HintAnswer, verbose: bool) {
    if !verbose {
        let uses = count(answer.hint.use_count, "time");
        page.good("✔").text(" bumped ").strong(hint::name(&answer.hint));
        page.text(format!("; it has helped {uses}")).end();
        return;
    }
    page.good("↑")
        .text(format!(" bumped frecency: use_count={} last_used_at=now", answer.hint.use_count))
        .end();
}
