//! `nudge context --about TEXT`: shows everything in memory about a subject, as one text.

use nudge_memory::inject::{AssembleParams, AssembledContext};

use super::LEFT_OUT;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;
use crate::projects;

pub(super) fn run(
    invocation: &Invocation,
    query: String,
    project: Option<String>,
    max_tokens: u32,
) -> Result<Exit, Failure> {
    let params = AssembleParams {
        query,
        max_tokens: Some(i64::from(max_tokens)),
        project: projects::named_or_here(project),
        ..AssembleParams::default()
    };
    let here = here();
    let answer = invocation.call("assemble_context", &params, here)?;
    invocation.show::<AssembledContext>(&answer, |page, answer| render(page, answer, max_tokens))
}

fn render(page: &mut Page, answer: &AssembledContext, budget: u32) {
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
