//! `nudge get`: the hint that applies here, and why.

use clap::Args;
use nudge_memory::hints::wire::{GetAnswer, GetParams};

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Service, module or folder
    component: String,
    /// Name of the fact
    key: String,
    /// Print the value alone, for scripts; a secret too
    #[arg(long)]
    value: bool,
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
        invocation.show::<GetAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &GetAnswer) {
    hint::value(page, &answer.hint);
    hint::explanation(page, &answer.match_explain);
}
