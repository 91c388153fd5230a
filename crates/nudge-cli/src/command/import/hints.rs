//! `nudge import FILE`: imports exported hints.

use nudge_memory::hints::ImportHints;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::hints::wire::{ImportAnswer, ImportMode, ImportParams};
use serde_json::Value;

use crate::exit::{Exit, Failure};
use crate::flags::YesFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

/// What happens to hints that are not in the file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    Merge,
    Replace,
}

// The file, and what happens to hints that are not in it.
#[derive(Debug, Args)]
pub(crate) struct HintFileArgs {
    /// File written by `nudge export`; - reads standard input
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// What to do with hints that are not in the file: keep them (merge) or delete them (replace)
    #[arg(long, default_value = "merge")]
    mode: Mode,
    #[command(flatten)]
    yes: YesFlag,
}

impl HintFileArgs {
    /// Imports the whole file, or nothing if one record is bad.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let file = self.file.ok_or_else(|| Failure::Usage("a file to import is missing".to_owned()))?;
        import(invocation, &file, self.mode, self.yes.yes)
    }
}

fn import(invocation: &Invocation, file: &Path, mode: Mode, yes: bool) -> Result<Exit, Failure> {
    let payload = payload(&read(file)?)?;
    if mode == Mode::Replace && !yes {
        return Err(Fault::invalid(
            "not_confirmed",
            "replace deletes every hint that is not in the file; nothing was changed",
        )
        .next("pass --yes to confirm; `nudge export -o FILE` saves a copy first")
        .into());
    }
    let mode = match mode {
        Mode::Merge => ImportMode::Merge,
        Mode::Replace => ImportMode::Replace,
    };
    let params = ImportParams { payload, mode: Some(mode) };
    let answer = invocation.call::<ImportHints>(&params, Context::unknown())?;
    invocation.show(&answer, render)
}

fn render(page: &mut Page, answer: &ImportAnswer) {
    page.good("✔").text(format!(
        " imported {}, {} unchanged",
        count(answer.imported, "hint"),
        answer.skipped
    ));
    if answer.removed > 0 {
        page.text(format!(", {} removed", answer.removed));
    }
    page.end();
    if answer.proposed > 0 {
        let waiting = count(answer.proposed, "change");
        page.text(format!("  {waiting} to hints that you stated: proposed in `nudge review`")).end();
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Fault> {
    let read = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    read.map_err(|error| {
        let (kind, reason) = match error.kind() {
            ErrorKind::NotFound => (FaultKind::NotFound, "no_file"),
            _ => (FaultKind::Invalid, "unreadable_file"),
        };
        Fault::new(kind, reason, format!("cannot read {}: {error}", file.display()))
            .next("check the path, or pass `-` to read standard input")
    })
}

/// The payload in the file: bare, or inside the result that `export --json` prints.
fn payload(bytes: &[u8]) -> Result<Value, Fault> {
    let mut value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Fault::invalid("not_json", format!("the file is not valid JSON: {error}"))
            .next("import a file that `nudge export` wrote")
    })?;
    let wrapped = value.get("components").is_none();
    match value.get_mut("payload") {
        Some(inside) if wrapped => Ok(inside.take()),
        _ => Ok(value),
    }
}
