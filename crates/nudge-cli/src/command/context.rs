//! `nudge context`: what a session that began now would be given, or all that memory has about something.

mod about;

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::inject::{ContextParams, ContextPreview, Decided};

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
    #[arg(long, conflicts_with = "prompt")]
    recovery: bool,
    /// What a session would get with this prompt, and what decides it
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// What memory has about this, whatever its kind, in one text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["prompt", "recovery"])]
    about: Option<String>,
    /// The most tokens of that text
    #[arg(long, value_name = "N", requires = "about", default_value_t = 1500)]
    max_tokens: u32,
}

impl ContextArgs {
    /// Looks, with the budget of the settings here.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        if let Some(query) = self.about {
            return about::run(invocation, query, self.project, self.max_tokens);
        }
        let settings = invocation.settings()?;
        let tokens = match (&self.prompt, self.recovery) {
            (Some(_), _) => settings.inject_prompt_tokens,
            (None, true) => settings.inject_recovery_tokens,
            (None, false) => settings.inject_start_tokens,
        };
        let params = ContextParams {
            project: projects::named_or_here(self.project),
            recovery: self.recovery,
            prompt: self.prompt,
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
        let whose = match answer.mode.as_str() {
            "prompt" => format!("a session in {project} would get nothing with this prompt"),
            _ => format!("a session that began in {project} now would be told nothing"),
        };
        page.text(format!("nothing: {whose}")).end();
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
    if let Some(decision) = &answer.decision {
        decided(page, decision);
    }
    left_out(page, answer);
}

/// The score of a prompt, and the figures it was made of.
pub(super) fn decided(page: &mut Page, decision: &Decided) {
    let verdict = if decision.speaks { "spoken" } else { "silent" };
    page.text(format!("{verdict}: score {:.2}, spoken from {:.2}", decision.score, decision.least)).end();
    for (name, value) in &decision.features {
        // A sum of nothing is -0.
        page.faint(format!("  {name:<16} {:.2}", value + 0.0)).end();
    }
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
