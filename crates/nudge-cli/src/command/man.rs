//! `nudge man`: prints the manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use nudge_core::{Fault, FaultKind};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::words::count;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write the manual pages of all commands to this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print the reference of all commands as Markdown
    #[arg(long, conflicts_with_all = ["dir", "json"])]
    markdown: bool,
}

impl ManArgs {
    /// Prints `nudge(1)`, writes it and the page of every command, or prints the reference.
    pub(crate) fn run(
        self,
        invocation: &Invocation,
        command: Command,
        reference: fn() -> String,
    ) -> Result<Exit, Failure> {
        if self.markdown {
            invocation.output.document(&reference());
            return Ok(Exit::Ok);
        }
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
    let mut files = Vec::new();
    write_below(dir, "nudge", command, &mut files)?;
    Ok(files)
}

/// Writes the page of a command and of all its subcommands, such as `nudge-hint-set`.
fn write_below(dir: &Path, name: &str, command: &Command, files: &mut Vec<String>) -> Result<(), Fault> {
    files.push(write_one(dir, name.to_owned(), command.clone().display_name(name))?);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        write_below(dir, &format!("{name}-{}", sub.get_name()), sub, files)?;
    }
    Ok(())
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
        Fault::new(FaultKind::Internal, "man", format!("cannot write the manual page: {error}"))
    })?;
    Ok(String::from_utf8_lossy(&roff).into_owned())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
        .next("choose another directory with --dir")
}
