//! `nudge mark`, `pin` and `unpin`: add a note among the observations, keep observations forever.

use clap::Args;
use nudge_core::Context;
use nudge_memory::notes::{
    CreateMarker, MarkAnswer, MarkParams, PinAnswer, PinObservations, PinParams, UnpinObservations,
};
use nudge_memory::operation::Op;
use nudge_memory::recall::EntryRef;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags;
use crate::flags::{ProjectFlag, SessionFlag};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

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
        let project = self.project.project.map(|said| flags::project_named(&said));
        let params = MarkParams { text: self.text, project, session: self.session.session };
        let here = here();
        let answer = invocation.call::<CreateMarker>(&params, here)?;
        invocation.show(&answer, render)
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

// `nudge pin` and `nudge unpin`: keep observations permanently, or no longer.

#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// Observation ids, such as 42 or obs://42
    #[arg(required = true, value_name = "ID", value_delimiter = ',')]
    ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UnpinArgs {
    #[command(flatten)]
    entries: PinArgs,
}

impl UnpinArgs {
    /// Unpins.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.entries.call::<UnpinObservations>(invocation)
    }
}

impl PinArgs {
    /// Pins.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.call::<PinObservations>(invocation)
    }

    fn call<O: Op<Params = PinParams, Answer = PinAnswer>>(
        self,
        invocation: &Invocation,
    ) -> Result<Exit, Failure> {
        let params = PinParams { ids: self.ids.into_iter().map(EntryRef::Path).collect() };
        let answer = invocation.call::<O>(&params, Context::unknown())?;
        invocation.show(&answer, render_pins)
    }
}

fn render_pins(page: &mut Page, answer: &PinAnswer) {
    let what = count(i64::try_from(answer.ids.len()).unwrap_or(i64::MAX), "observation");
    let word = if answer.pinned { "pinned" } else { "unpinned" };
    page.good("✔").text(format!(" {word} {what}")).end();
    if !answer.missing.is_empty() {
        let missing: Vec<String> = answer.missing.iter().map(ToString::to_string).collect();
        page.warning("not found:").text(format!(" {}", missing.join(", "))).end();
    }
}
