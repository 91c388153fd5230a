//! `nudge stop-showing`: stops the injection of an entry.

use clap::Args;
use nudge_memory::knowledge::{SilenceAnswer, SilenceParams};
use nudge_memory::recall::{EntryRef, ProjectParam};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::projects;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct StopShowingArgs {
    /// Entry id as shown by `nudge why`, such as 42 or #42
    id: String,
    /// Allow it to be injected again
    #[arg(long)]
    again: bool,
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "everywhere")]
    project: Option<String>,
    /// Apply to every project
    #[arg(long)]
    everywhere: bool,
}

impl StopShowingArgs {
    /// Hides the entry, or shows it again.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::StopShowing)?;
        let project = if self.everywhere { ProjectParam::All } else { projects::named_or_here(self.project) };
        let params = SilenceParams { id: EntryRef::Path(self.id), project, again: self.again };
        let answer = invocation.call("silence", &params, here())?;
        invocation.show::<SilenceAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &SilenceAnswer) {
    let place = answer.project.as_deref().unwrap_or("every project");
    let what = match (answer.silenced, answer.changed) {
        (true, true) => format!("is no longer injected in {place}: "),
        (true, false) => format!("was already hidden in {place}: "),
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
