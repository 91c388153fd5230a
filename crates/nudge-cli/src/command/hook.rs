//! `nudge hook`: the door of agents. What is typed plainly never comes here; see `fast_path.rs`.

use std::time::Instant;

use clap::Args;

use crate::exit::{Exit, Failure};
use crate::hook;
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Agents run this at every event, with the event as JSON on standard input. It
answers in the agent's own dialect within its deadline, always exits 0 and says
nothing on standard error: what goes wrong is in logs/hooks.log, and `nudge
doctor` counts it. NUDGE_OFF=1 switches it off.")]
pub(crate) struct HookArgs {
    /// The agent: claude, codex, opencode, copilot, gemini, qwen, cline or cursor
    harness: String,
}

impl HookArgs {
    /// Takes the event in.
    pub(crate) fn run(self, invocation: &Invocation, began: Instant) -> Result<Exit, Failure> {
        Ok(hook::run(&self.harness, invocation.globals.home.as_deref(), began))
    }
}
