//! `nudge stop-showing`: an entry is not injected any more.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::knowledge::{SilenceAnswer, SilenceParams};
use nudge_memory::recall::{EntryRef, ProjectParam};

use crate::agent_above::refuse_agents;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::projects;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct StopShowingArgs {
    /// Number of the entry as `nudge why` shows it, with or without #
    id: String,
    /// Show it again
    #[arg(long)]
    again: bool,
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT", conflicts_with = "everywhere")]
    project: Option<String>,
    /// In every project
    #[arg(long)]
    everywhere: bool,
}

impl StopShowingArgs {
    /// Hides it, or shows it again.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge stop-showing")?;
        let project = if self.everywhere { ProjectParam::All } else { projects::named_or_here(self.project) };
        let params = SilenceParams { id: EntryRef::Path(self.id), project, again: self.again };
        let answer = invocation.call("silence", &params, surroundings::here(&working_directory()))?;
        invocation.show::<SilenceAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &SilenceAnswer) {
    let place = answer.project.as_deref().unwrap_or("every project");
    let what = match (answer.silenced, answer.changed) {
        (true, true) => format!("is not injected in {place} any more: "),
        (true, false) => format!("was not injected in {place} before, either: "),
        (false, true) => format!("may be injected in {place} again: "),
        (false, false) => format!("was never hidden in {place}: "),
    };
    page.good("✔")
        .text(" ")
        .strong(format!("#{}", answer.id))
        .text(format!(" {what}"))
        .line(&answer.what)
        .end();
    if answer.silenced {
        page.faint(format!("  `nudge stop-showing {} --again` shows it again", answer.id)).end();
    }
}
