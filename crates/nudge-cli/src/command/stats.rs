//! `nudge stats`: counts the hints and shows which ones are used.

use clap::Args;
use nudge_core::Context;
use nudge_memory::hints::wire::StatsAnswer;
use nudge_memory::operation::NoParams;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {}

impl StatsArgs {
    /// Counts the hints.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // The answer names a limit of the settings.
        let settings = invocation.settings()?;
        let answer = invocation.call_under(&settings, "hint_stats", &NoParams {}, Context::unknown())?;
        invocation.show::<StatsAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &StatsAnswer) {
    let (hints, components) = (count(answer.hints, "hint"), count(answer.components, "component"));
    page.text(format!("{hints} in {components}; the limit is {}", answer.max_hints)).end();
    if !answer.top_tags.is_empty() {
        let tags: Vec<String> =
            answer.top_tags.iter().map(|tag| format!("{} {}", tag.tag, tag.hints)).collect();
        page.faint("tags:").text(format!(" {}", tags.join(", "))).end();
    }
    if !answer.most_used.is_empty() {
        page.faint("used:").end();
    }
    for hint in &answer.most_used {
        page.text(format!("  {:>5}  {}/{}", hint.use_count, hint.component, hint.key)).end();
    }
}
