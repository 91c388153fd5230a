//! `nudge pin` and `nudge unpin`: keep observations permanently, or no longer.

use clap::Args;
use nudge_core::Context;
use nudge_memory::notes::{PinAnswer, PinParams};
use nudge_memory::recall::EntryRef;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// Observation ids, such as 42 or obs://42
    #[arg(required = true, value_name = "ID", value_delimiter = ',')]
    ids: Vec<String>,
}

impl PinArgs {
    /// Pins.
    pub(crate) fn pin(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.call(invocation, "pin")
    }

    /// Unpins.
    pub(crate) fn unpin(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.call(invocation, "unpin")
    }

    fn call(self, invocation: &Invocation, operation: &str) -> Result<Exit, Failure> {
        let params = PinParams { ids: self.ids.into_iter().map(EntryRef::Path).collect() };
        let answer = invocation.call(operation, &params, Context::unknown())?;
        invocation.show::<PinAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &PinAnswer) {
    let what = count(i64::try_from(answer.ids.len()).unwrap_or(i64::MAX), "observation");
    let word = if answer.pinned { "pinned" } else { "unpinned" };
    page.good("✔").text(format!(" {word} {what}")).end();
    if !answer.missing.is_empty() {
        let missing: Vec<String> = answer.missing.iter().map(ToString::to_string).collect();
        page.warning("not found:").text(format!(" {}", missing.join(", "))).end();
    }
}
