//! `nudge get`: prints the hint that applies here, and why.

use clap::Args;
use nudge_memory::hints::wire::{GetAnswer, GetParams};

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Service, module or directory
    component: String,
    /// Name of the hint
    key: String,
    /// Print only the value, even a secret one
    #[arg(long)]
    value: bool,
    /// Also print the score and every reason
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    context: ContextArgs,
}

impl GetArgs {
    /// Reads the best variant for the context.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = GetParams { component: self.component, key: self.key, context: None };
        let answer = invocation.call("get_hint", &params, self.context.context())?;
        if self.value && !invocation.output.is_json() {
            let typed: GetAnswer = invocation.typed(&answer)?;
            invocation.output.value(&typed.hint.value.0.text());
            return Ok(Exit::Ok);
        }
        let verbose = self.verbose;
        invocation.show::<GetAnswer>(&answer, |page, answer| render(page, answer, verbose))
    }
}

fn render(page: &mut Page, answer: &GetAnswer, verbose: bool) {
    if verbose {
        hint::value(page, &answer.hint);
        hint::explanation(page, &answer.match_explain);
    } else {
        hint::bare(page, &answer.hint);
        hint::why(page, &answer.match_explain);
    }
}
