//! `nudge restore`: put a backup in the memory's place.

use std::path::PathBuf;

use clap::Args;
use nudge_core::Fault;
use nudge_memory::upkeep;

use crate::agent_above::refuse_agents;
use crate::command::backup::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// File that `nudge backup` wrote
    file: PathBuf,
    /// Yes, replace the present memory; a copy of it is kept
    #[arg(long)]
    yes: bool,
}

impl RestoreArgs {
    /// Checks the backup, keeps a copy of the present memory and puts the backup in its place.
    /// Servers go on: they see the old memory until the instant they see the new one.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge restore")?;
        let home = invocation.home()?;
        if !self.yes {
            return Err(Fault::invalid("not_confirmed", "this replaces the whole memory")
                .next(format!("if that is meant: nudge restore {} --yes", self.file.display()))
                .into());
        }
        refuse_ephemeral(&home)?;
        let kept = upkeep::restore(&home, &self.file, now())?;
        let answer = serde_json::json!({"restored": self.file, "previous": kept});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(format!(" restored the memory from {}", self.file.display())).end();
            if let Some(kept) = &kept {
                page.text(format!("  the memory that was there lies in {}", kept.display())).end();
            }
        });
        Ok(Exit::Ok)
    }
}
