//! `nudge backup` saves the whole memory to one file, and `nudge restore` puts it back.

use std::path::PathBuf;

use clap::Args;
use nudge_core::{Fault, FaultKind};
use nudge_harness::install::quoted;
use nudge_home::Home;
use nudge_memory::upkeep;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::flags::YesFlag;
use crate::invocation::{Invocation, now, refuse_ephemeral};

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

// `nudge restore`: replaces the memory with a backup.

#[derive(Debug, Args)]
#[command(after_long_help = "\
Restore replaces the whole memory and keeps a copy of the old one. It needs
--yes.")]
pub(crate) struct RestoreArgs {
    /// File written by `nudge backup`
    #[arg(required_unless_present = "anew", conflicts_with = "anew")]
    file: Option<PathBuf>,
    /// Start an empty memory in place of a lost or damaged one; keep what is left of it
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    yes: YesFlag,
}

impl RestoreArgs {
    /// Checks the backup, keeps a copy of the present memory and replaces it with the backup.
    /// Servers keep running: they see the old memory until the instant they see the new one.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Restore)?;
        let home = invocation.home()?;
        if !self.yes.yes {
            let file = self.file.as_ref().map(|file| file.to_string_lossy());
            let what = file.as_deref().map_or("--anew".into(), quoted);
            return Err(Fault::invalid(
                "not_confirmed",
                "this replaces the whole memory; nothing was changed",
            )
            .next(format!("to confirm, run `nudge restore {what} --yes`"))
            .into());
        }
        refuse_ephemeral(&home)?;
        let Some(file) = self.file else { return start_empty(invocation, &home) };
        if !file.exists() {
            let why = format!("there is no file {}", file.display());
            return Err(Fault::new(FaultKind::NotFound, "no_file", why)
                .next("name a file that `nudge backup` wrote; `nudge doctor` names the newest")
                .into());
        }
        let kept = upkeep::restore(&home, &file, now())?;
        let answer = serde_json::json!({"restored": file, "previous": kept});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(format!(" restored the memory from {}", file.display())).end();
            if let Some(kept) = &kept {
                page.text(format!("  the previous memory is saved in {}", kept.display())).end();
            }
        });
        Ok(Exit::Ok)
    }
}

fn start_empty(invocation: &Invocation, home: &Home) -> Result<Exit, Failure> {
    upkeep::create_empty(home, now())?;
    invocation.output.answer(&serde_json::json!({"anew": true}), |page| {
        page.good("✔").text(" started an empty memory").end();
        page.text(format!("  what was left of the old one is in {}", home.backups_dir().display())).end();
    });
    Ok(Exit::Ok)
}
