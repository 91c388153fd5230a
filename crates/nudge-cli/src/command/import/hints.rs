//! `nudge import FILE`: take in hints that were exported.

use std::io::Read;
use std::path::Path;

use clap::ValueEnum;
use nudge_core::{Context, Fault};
use nudge_memory::hints::wire::{ImportAnswer, ImportMode, ImportParams};
use serde_json::Value;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

/// What happens to hints that are not in the file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    Merge,
    Replace,
}

/// Takes in all of the file, or nothing when one record of it is bad.
pub(super) fn run(invocation: &Invocation, file: &Path, mode: Mode, yes: bool) -> Result<Exit, Failure> {
    let payload = payload(&read(file)?)?;
    if mode == Mode::Replace && !yes {
        return Err(Fault::invalid("unconfirmed", "this removes every hint that is not in the file")
            .next("`nudge export -o FILE` keeps a copy; then pass --yes")
            .into());
    }
    let mode = match mode {
        Mode::Merge => ImportMode::Merge,
        Mode::Replace => ImportMode::Replace,
    };
    let params = ImportParams { payload, mode: Some(mode) };
    let answer = invocation.call("import", &params, Context::unknown())?;
    invocation.show::<ImportAnswer>(&answer, render)
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
        page.text(format!("  {waiting} of hints that the person stated: proposed in `nudge review`")).end();
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
        Fault::invalid("unreadable_file", format!("cannot read {}: {error}", file.display()))
            .next("check the path, or pass `-` to read standard input")
    })
}

/// The payload in the file: bare, or inside the result that `export --json` prints.
fn payload(bytes: &[u8]) -> Result<Value, Fault> {
    let mut value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Fault::invalid("not_json", format!("the file is not JSON: {error}"))
            .next("`nudge export` shows what an import looks like")
    })?;
    let wrapped = value.get("components").is_none();
    match value.get_mut("payload") {
        Some(inside) if wrapped => Ok(inside.take()),
        _ => Ok(value),
    }
}
