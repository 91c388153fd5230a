//! `nudge context`: what a session that began now would be told.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::inject::{ContextParams, ContextPreview};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;
use crate::projects;

/// How many of those that were left out are named.
const LEFT_OUT: usize = 10;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is told to anybody, and nothing is entered in the ledger. `nudge why`
explains what was told.")]
pub(crate) struct ContextArgs {
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// What its newest session would be told if its context were emptied now
    #[arg(long)]
    recovery: bool,
}

impl ContextArgs {
    /// Looks, with the budget of the settings here.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let settings = invocation.settings()?;
        let tokens =
            if self.recovery { settings.inject_recovery_tokens } else { settings.inject_start_tokens };
        let params = ContextParams {
            project: projects::named_or_here(self.project),
            recovery: self.recovery,
            tokens: Some(tokens),
        };
        let here = surroundings::here(&working_directory());
        let answer = invocation.call("preview_context", &params, here)?;
        let off = !settings.inject;
        invocation.show::<ContextPreview>(&answer, |page, answer| render(page, answer, off))
    }
}

fn render(page: &mut Page, answer: &ContextPreview, off: bool) {
    if off {
        page.warning("off:").text(" inject.enabled is false here; agents are told nothing").end();
    }
    if answer.text.is_empty() {
        let project = answer.project.as_deref().unwrap_or("this directory");
        page.text(format!("nothing: a session that began in {project} now would be told nothing")).end();
    } else {
        for line in answer.text.lines() {
            page.text(line).end();
        }
        page.end();
        let lines = count(answer.told.len() as i64, "line");
        page.faint(format!("{lines}, {} of {} tokens", answer.tokens, answer.budget)).end();
        for line in &answer.told {
            let id = line.id.map_or_else(|| "-".to_owned(), |id| format!("#{id}"));
            page.faint(format!("  {id:<8} {:>4}  {}", line.tokens, line.why)).end();
        }
    }
    left_out(page, answer);
}

fn left_out(page: &mut Page, answer: &ContextPreview) {
    if answer.left_out.is_empty() {
        return;
    }
    page.text(format!("left out: {}", answer.left_out.len())).end();
    for line in answer.left_out.iter().take(LEFT_OUT) {
        page.faint(format!("  #{:<7} {}", line.id, line.why)).end();
    }
    if answer.left_out.len() > LEFT_OUT {
        page.faint("  …").end();
    }
}
