//! `nudge delete`: deletes a hint.

use clap::Args;
use nudge_memory::hints::wire::{DeleteAnswer, DeleteParams};

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::{hint, proposal};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Service, module or directory
    component: String,
    /// Name of the hint
    key: String,
    #[command(flatten)]
    context: ContextArgs,
}

impl DeleteArgs {
    /// Deletes the only variant, or the one that `get` would return.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = DeleteParams { component: self.component, key: self.key, context: None };
        let answer = invocation.call("delete_hint", &params, self.context.context())?;
        invocation.show::<DeleteAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &DeleteAnswer) {
    if let Some(note) = &answer.proposal {
        proposal::note(page, note);
        return;
    }
    let Some(hint) = &answer.previous else { return };
    page.good("✔")
        .text(" deleted ")
        .strong(hint::name(hint))
        .text(format!(" (version {})", hint.version))
        .end();
    if let Some(scope) = &hint.meta.scope {
        page.text("  ").faint("applied if:").text(" ").text(hint::conditions(scope)).end();
    }
}
