//! `nudge context`: shows the context that a new session would get now, or everything in memory
//! about a subject.

use clap::Args;
use nudge_memory::inject::{
    AssembleContext, AssembleParams, AssembledContext, ContextParams, ContextPreview, Decided, PreviewContext,
};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags;
use crate::flags::ProjectFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::{count, cut};

/// How many of the omitted entries to name.
const LEFT_OUT: usize = 10;

#[derive(Debug, Args)]
#[command(after_long_help = "\
This is a preview: nothing is injected and nothing is recorded in the ledger.
`nudge why` explains what was injected.

Examples:
  nudge context
  nudge context --prompt 'why does the login test fail?'
  nudge context --about 'database migrations' --max-tokens 800")]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    project: ProjectFlag,
    /// Preview what the newest session would get after its context is compacted
    #[arg(long, conflicts_with = "prompt")]
    recovery: bool,
    /// Preview the block with tables of recent work, as `nudge record` answers
    #[arg(long, conflicts_with = "prompt")]
    seed: bool,
    /// Preview what this prompt would add, and the score that decides it
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Collect everything in memory about this topic
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["prompt", "recovery"])]
    about: Option<String>,
    /// Token budget of --about
    #[arg(long, value_name = "N", requires = "about", default_value_t = 1500)]
    max_tokens: u32,
}

impl ContextArgs {
    /// Builds the preview with the budget from the settings here.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        if let Some(query) = self.about {
            return explain_candidates(invocation, query, self.project.project, self.max_tokens);
        }
        let settings = invocation.settings()?;
        let tokens = match (&self.prompt, self.recovery) {
            (Some(_), _) => settings.inject_prompt_tokens,
            (None, true) => settings.inject_recovery_tokens,
            (None, false) => settings.inject_start_tokens,
        };
        let params = ContextParams {
            project: self.project.param(),
            recovery: self.recovery,
            seed: self.seed,
            prompt: self.prompt,
            tokens: Some(tokens),
        };
        let here = here();
        let answer = invocation.call::<PreviewContext>(&params, here)?;
        let off = !settings.inject;
        invocation.show(&answer, |page, answer| render(page, answer, off))
    }
}

fn render(page: &mut Page, answer: &ContextPreview, off: bool) {
    if off {
        page.warning("off:").text(" inject.enabled is false here; agents get no context").end();
    }
    if answer.text.is_empty() {
        let project = answer.project.as_deref().unwrap_or("this directory");
        let whose = match answer.mode.as_str() {
            "prompt" => format!("a session in {project} would get nothing with this prompt"),
            _ => format!("a session that starts in {project} now would get nothing"),
        };
        page.text(format!("nothing: {whose}")).end();
    } else {
        for line in answer.text.lines() {
            page.text(line).end();
        }
        page.end();
        let lines = count(answer.injected.len() as i64, "line");
        page.faint(format!("{lines}, {} of {} tokens", answer.tokens, answer.budget)).end();
        for line in &answer.injected {
            let id = line.id.map_or_else(|| "-".to_owned(), |id| format!("#{id}"));
            let why = cut(&line.why, page.columns(), 17);
            page.faint(format!("  {id:<8} {:>4}  {why}", line.tokens)).end();
        }
    }
    if let Some(decision) = &answer.decision {
        decided(page, decision);
    }
    left_out(page, answer);
}

/// Whether something is injected with a prompt, and by which score.
pub(super) fn verdict(page: &mut Page, decision: &Decided) {
    if decision.features.is_empty() {
        page.text("not injected: the prompt has five words or fewer, or nothing was found").end();
        return;
    }
    let verdict = if decision.speaks { "injected" } else { "not injected" };
    page.text(format!("{verdict}: chance {:.2} that it helps, {:.2} needed", decision.score, decision.least))
        .end();
}

/// The score of a prompt, and the numbers behind it.
pub(super) fn decided(page: &mut Page, decision: &Decided) {
    verdict(page, decision);
    for (name, value) in &decision.features {
        // An empty sum is -0; adding 0 makes it 0.
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

// `nudge context --about TEXT`: shows everything in memory about a subject, as one text.

fn explain_candidates(
    invocation: &Invocation,
    query: String,
    project: Option<String>,
    max_tokens: u32,
) -> Result<Exit, Failure> {
    let params = AssembleParams {
        query,
        max_tokens: Some(i64::from(max_tokens)),
        project: flags::project_or_here(project),
        ..AssembleParams::default()
    };
    let here = here();
    let answer = invocation.call::<AssembleContext>(&params, here)?;
    invocation.show(&answer, |page, answer| render_candidate(page, answer, max_tokens))
}

fn render_candidate(page: &mut Page, answer: &AssembledContext, budget: u32) {
    if answer.markdown.is_empty() {
        page.text("nothing was found").end();
    }
    for line in answer.markdown.lines() {
        page.text(line).end();
    }
    if !answer.items.is_empty() {
        page.end();
        let items = count(answer.items.len() as i64, "item");
        page.faint(format!("{items}, {} of {budget} tokens", answer.token_count)).end();
    }
    for item in &answer.items {
        let cut = if item.cut { "; cut" } else { "" };
        page.faint(format!("  #{:<7} {:>4}  {}: {}{cut}", item.id, item.tokens, item.source, item.why)).end();
    }
    for skipped in &answer.skipped {
        page.warning("skipped:").text(format!(" {}: {}", skipped.source, skipped.why)).end();
    }
    if !answer.left_out.is_empty() {
        page.text(format!("left out: {}", answer.left_out.len())).end();
    }
    for left in answer.left_out.iter().take(LEFT_OUT) {
        page.faint(format!("  #{:<7} {}: {}", left.id, left.source, left.why)).end();
    }
    if answer.left_out.len() > LEFT_OUT {
        page.faint("  …").end();
    }
}
