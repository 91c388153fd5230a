//! `nudge man`: the manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use nudge_core::{Fault, FaultKind};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::words::count;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this directory instead
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ManArgs {
    /// Prints `nudge(1)`, or writes it and the page of every command.
    pub(crate) fn run(self, invocation: &Invocation, mut command: Command) -> Result<Exit, Failure> {
        command.build();
        let Some(dir) = self.dir else {
            invocation.output.document(&page(command)?);
            return Ok(Exit::Ok);
        };
        let files = write_all(&dir, &command)?;
        let answer = serde_json::json!({"dir": dir, "files": files});
        invocation.output.answer(&answer, |page| {
            page.good("✔")
                .text(format!(" wrote {} to {}", count(files.len() as i64, "page"), dir.display()))
                .end();
        });
        Ok(Exit::Ok)
    }
}

fn write_all(dir: &Path, command: &Command) -> Result<Vec<String>, Fault> {
    std::fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
    let mut files = vec![write_one(dir, "nudge".to_owned(), command.clone())?];
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let name = format!("nudge-{}", sub.get_name());
        files.push(write_one(dir, name.clone(), sub.clone().display_name(name))?);
    }
    Ok(files)
}

fn write_one(dir: &Path, name: String, command: Command) -> Result<String, Fault> {
    let file = format!("{name}.1");
    let path = dir.join(&file);
    std::fs::write(&path, page(command)?).map_err(|error| unwritable(&path, &error))?;
    Ok(file)
}

fn page(command: Command) -> Result<String, Fault> {
    let mut roff = Vec::new();
    Man::new(command).render(&mut roff).map_err(|error| {
        Fault::new(FaultKind::Internal, "man", format!("the manual page cannot be written: {error}"))
    })?;
    Ok(String::from_utf8_lossy(&roff).into_owned())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
        .next("choose another directory with --dir")
}
