//! `nudge undo`: makes an earlier version of a hint current again.

use clap::Args;
use nudge_core::Context;
use nudge_memory::hints::{UndoAnswer, UndoParams};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(override_usage = "nudge undo ID\n       nudge undo COMPONENT KEY")]
pub(crate) struct UndoArgs {
    /// Version id from `nudge log`, or a component: undo the latest change of its key
    #[arg(value_name = "ID|COMPONENT")]
    first: String,
    /// Name of the hint
    key: Option<String>,
}

impl UndoArgs {
    /// Restores the version and shows the current hint.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Undo)?;
        let params = match (self.key, self.first.parse::<i64>()) {
            (Some(key), _) => UndoParams { id: None, component: Some(self.first), key: Some(key) },
            (None, Ok(id)) => UndoParams { id: Some(id), ..UndoParams::default() },
            (None, Err(_)) => {
                let why = "name the number of a version, or a component and a key";
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
        .text(format!(" restored version {} of ", answer.restored_version))
        .strong(hint::name(hint))
        .text(format!(" as version {}", hint.version))
        .end();
    hint::value(page, hint);
}
