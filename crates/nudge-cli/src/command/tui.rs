//! `nudge tui`: browse the memory in the terminal.

use std::io::IsTerminal;

use clap::Args;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::tui;

const NO_TERMINAL: &str = "`nudge tui` needs a terminal; in a script, use `nudge sessions`, `nudge search`, \
`nudge review --list` or `nudge why` with --json";

const NO_JSON: &str = "`nudge tui` has no JSON form; use `nudge sessions`, `nudge search`, \
`nudge review --list` or `nudge why` with --json";

// The summary is in `cli.rs`, with those of the other commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Four views: Sessions, Search, Review and Why. The keys are at the bottom of the
screen; `?` lists all of them. Agents cannot run it.")]
pub(crate) struct TuiArgs {
    /// Start with all projects instead of the current one
    #[arg(long)]
    all: bool,
}

impl TuiArgs {
    /// Opens the browser and stays until the user leaves it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // It accepts proposals, so it follows the same rule as `nudge review`.
        refuse_agents(UserOnly::Tui)?;
        if invocation.output.is_json() {
            return Err(Failure::Usage(NO_JSON.to_owned()));
        }
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return Err(Failure::Usage(NO_TERMINAL.to_owned()));
        }
        tui::run(invocation, self.all)?;
        Ok(Exit::Ok)
    }
}
