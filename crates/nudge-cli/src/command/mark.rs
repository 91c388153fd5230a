//! `nudge mark`: a note among what was observed.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::notes::{MarkAnswer, MarkParams};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::projects;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// What is to be remembered
    text: String,
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Session it belongs to [default: the newest one of the project]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl MarkArgs {
    /// Keeps the note as an observation of its own kind.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = self.project.map(|said| projects::named(&said));
        let params = MarkParams { text: self.text, project, session: self.session };
        let here = surroundings::here(&working_directory());
        let answer = invocation.call("create_marker", &params, here)?;
        invocation.show::<MarkAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &MarkAnswer) {
    page.good("✔").text(" marked ").strong(&answer.path).text(format!(" in {}", answer.project)).end();
    if let Some(note) = &answer.note {
        page.text("  ").text(note).end();
    }
    page.text("  ").faint("session:").text(" ").text(&answer.session).end();
}
