//! `nudge backup`: saves the whole memory to one file.

use std::path::PathBuf;

use clap::Args;
use nudge_memory::upkeep;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::ephemeral::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// File to write; it must not exist [default: a dated file in the backups directory]
    file: Option<PathBuf>,
}

impl BackupArgs {
    /// Copies the memory as of one instant. Other processes can keep using it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Backup)?;
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let file = match self.file {
            Some(file) => std::path::absolute(&file).unwrap_or(file),
            None => upkeep::dated_backup(&home, now()),
        };
        let bytes = upkeep::backup(&home, &file, now())?;
        let answer = serde_json::json!({"file": file, "bytes": bytes});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(format!(" backed up the memory to {} ({bytes} bytes)", file.display())).end();
            page.text("  restore it with `nudge restore FILE --yes`").end();
        });
        Ok(Exit::Ok)
    }
}
