//! `nudge undo`: an earlier version of a hint becomes the current one again.

use clap::Args;
use nudge_core::Context;
use nudge_memory::hints::{UndoAnswer, UndoParams};

use crate::agent_above::refuse_agents;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(override_usage = "nudge undo ID\n       nudge undo COMPONENT KEY")]
pub(crate) struct UndoArgs {
    /// Number of a version in `nudge log`, or the component whose newest change is taken back
    #[arg(value_name = "ID|COMPONENT")]
    first: String,
    /// Name of the fact
    key: Option<String>,
}

impl UndoArgs {
    /// Brings the version back and shows what stands there now.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge undo")?;
        let params = match (self.key, self.first.parse::<i64>()) {
            (Some(key), _) => UndoParams { id: None, component: Some(self.first), key: Some(key) },
            (None, Ok(id)) => UndoParams { id: Some(id), ..UndoParams::default() },
            (None, Err(_)) => {
                let why = "give the number of a version, or a component and a key";
                return Err(Failure::Usage(why.to_owned()));
            }
        };
        let answer = invocation.call("undo_hint", &params, Context::unknown())?;
        invocation.show::<UndoAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &UndoAnswer) {
    let hint = &answer.hint;
    page.good("✔")
        .text(format!(" version {} of ", answer.restored_version))
        .strong(hint::name(hint))
        .text(format!(" is back, as v{}", hint.version))
        .end();
    hint::value(page, hint);
}
