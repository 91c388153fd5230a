//! `nudge mark`: adds a note among the observations.

use clap::Args;
use nudge_memory::notes::{MarkAnswer, MarkParams};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{ProjectFlag, SessionFlag};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::projects;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// Text of the note
    text: String,
    #[command(flatten)]
    project: ProjectFlag,
    #[command(flatten)]
    session: SessionFlag,
}

impl MarkArgs {
    /// Saves the note as an observation with its own kind.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = self.project.project.map(|said| projects::named(&said));
        let params = MarkParams { text: self.text, project, session: self.session.session };
        let here = here();
        let answer = invocation.call("create_marker", &params, here)?;
        invocation.show::<MarkAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &MarkAnswer) {
    let id = answer.path.strip_prefix("obs://").unwrap_or(&answer.path);
    page.good("✔").text(" saved as ").strong(id).text(format!(" in {}", answer.project)).end();
    if let Some(note) = &answer.note {
        page.text("  ").text(note).end();
    }
    page.text("  ").faint("session:").text(" ").text(&answer.session).end();
}
