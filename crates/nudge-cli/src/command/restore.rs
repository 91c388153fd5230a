//! `nudge restore`: put a backup in the memory's place.

use std::path::PathBuf;

use clap::Args;
use nudge_core::Fault;
use nudge_harness::install::quoted;
use nudge_home::Home;
use nudge_memory::upkeep;

use crate::agent_above::refuse_agents;
use crate::ephemeral::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// File that `nudge backup` wrote
    #[arg(required_unless_present = "anew", conflicts_with = "anew")]
    file: Option<PathBuf>,
    /// Begin an empty memory where the present one is gone or damaged; what is left of it is kept
    #[arg(long)]
    anew: bool,
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
            let file = self.file.as_ref().map(|file| file.to_string_lossy());
            let what = file.as_deref().map_or("--anew".into(), quoted);
            return Err(Fault::invalid("not_confirmed", "this replaces the whole memory")
                .next(format!("if that is meant: nudge restore {what} --yes"))
                .into());
        }
        refuse_ephemeral(&home)?;
        let Some(file) = self.file else { return anew(invocation, &home) };
        let kept = upkeep::restore(&home, &file, now())?;
        let answer = serde_json::json!({"restored": file, "previous": kept});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(format!(" restored the memory from {}", file.display())).end();
            if let Some(kept) = &kept {
                page.text(format!("  the memory that was there lies in {}", kept.display())).end();
            }
        });
        Ok(Exit::Ok)
    }
}

fn anew(invocation: &Invocation, home: &Home) -> Result<Exit, Failure> {
    upkeep::start_anew(home, now())?;
    invocation.output.answer(&serde_json::json!({"anew": true}), |page| {
        page.good("✔").text(" began an empty memory").end();
        page.text(format!("  what was left of the old one lies in {}", home.backups_dir().display())).end();
    });
    Ok(Exit::Ok)
}
