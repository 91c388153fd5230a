//! `nudge backup`: the whole memory in one file.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use nudge_core::{Fault, FaultKind};
use nudge_memory::upkeep;

use crate::agent_above::refuse_agents;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// File to write; it must not exist [default: a dated one beside the memory]
    file: Option<PathBuf>,
}

impl BackupArgs {
    /// Copies the memory as of one instant, while others go on using it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge backup")?;
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
            page.text("  bring it back with `nudge restore FILE --yes`").end();
        });
        Ok(Exit::Ok)
    }
}

/// An ephemeral server keeps nothing in the file that a backup would copy.
pub(crate) fn refuse_ephemeral(home: &nudge_home::Home) -> Result<(), Fault> {
    if nudge_client::status::status(home).ephemeral == Some(true) {
        return Err(Fault::new(
            FaultKind::Unavailable,
            "ephemeral",
            "the running server is ephemeral: its memory is in no file",
        )
        .next("use `nudge export`, or stop it with `nudge stop` first"));
    }
    Ok(())
}

/// Writes a file that only its owner may read, whole or not at all.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let write = || {
        // Temporary files are made with mode 0600.
        let mut file = tempfile::Builder::new().prefix(".nudge-").tempfile_in(dir)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error: std::io::Error| {
        Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
            .next("choose another file")
    })
}
