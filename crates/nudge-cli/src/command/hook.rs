//! `nudge hook`: the entry point for agents. `fast_path.rs` handles the plain forms of the command;
//! only the others come here.

use std::time::Instant;

use clap::Args;

use crate::exit::{Exit, Failure};
use crate::hook;
use crate::invocation::Invocation;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Agents run this at every event, with the event as JSON on standard input. It
answers in the agent's own format within its deadline, always exits 0 and prints
nothing on standard error. Failures are logged in logs/hooks.log and counted by
`nudge doctor`. NUDGE_OFF=1 switches it off.")]
pub(crate) struct HookArgs {
    /// Agent: claude, codex, opencode, copilot, gemini, qwen, cline or cursor
    harness: String,
}

impl HookArgs {
    /// Records the event.
    pub(crate) fn run(self, invocation: &Invocation, began: Instant) -> Result<Exit, Failure> {
        Ok(hook::run(&self.harness, invocation.globals.home.as_deref(), began))
    }
}
