//! `nudge run abort`: stops what a run works on.

use clap::Args;
use nudge_core::text::one_line_of_chars;
use nudge_memory::runs::{RunAccepted, RunParams, RunView};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectFlag;
use crate::invocation::Invocation;
use crate::pages::Page;

/// How much of the prompt is repeated.
const PROMPT: usize = 60;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Other prompts that wait in the run are answered next. `nudge run resume` goes
on with what was stopped.")]
pub(crate) struct AbortArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    #[command(flatten)]
    project: ProjectFlag,
}

impl AbortArgs {
    /// Aborts the run, and says what was aborted.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RunParams { run: self.run, project: self.project.named() };
        let before: RunView = invocation.ask("get_run", &params, here())?;
        let answer = invocation.call("abort_run", &params, here())?;
        invocation.show::<RunAccepted>(&answer, |page, after| aborted(page, &before, after))
    }
}

fn aborted(page: &mut Page, before: &RunView, after: &RunAccepted) {
    let is_over = |state: &str| matches!(state, "completed" | "failed" | "aborted");
    if is_over(&before.state) {
        page.line(format!("`{}` was not running", before.run)).end();
        return;
    }
    page.good("✔").text(" aborted ").strong(&before.run);
    if let Some(open) = before.loops.iter().find(|one| !is_over(&one.state)) {
        page.text(format!(": {}", one_line_of_chars(&open.prompt, PROMPT)));
    }
    page.end();
    if let Some(note) = &after.note {
        page.text("  ").text(note).end();
    }
}
