//! Search quality: how often the right memory is among the first found, beside bare FTS5 on the same files.
//!
//! Memories go in through `nudge import memories`; each prompt that has an answer among them is given to the `search` operation as
//! free text, within its project. Nothing is asked of any model.

mod score;

use std::path::PathBuf;

use anyhow::Context;

use crate::stage::{Home, Programs};
use score::{Asked, Score};

/// Where the files lie unless they are named, as seen from the repository.
const SET: &str = "../shared/bench/data/relevance";

struct Options {
    memory: PathBuf,
    prompts: PathBuf,
    /// Whether an aim that is missed fails the run.
    is_strict: bool,
}

/// Imports, asks, and prints the table.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let options = options(args)?;
    let programs = Programs::build()?;
    let home = Home::temporary(&programs)?;
    let memory = options.memory.to_string_lossy().into_owned();
    let imported = home.run_json(&["import", "memories", &memory])?;
    eprintln!("{} memories imported from {memory}", imported["imported"]);
    let output = home
        .program(&programs.named("relevance"))
        .args([&options.memory, &options.prompts, &home.database(), &home.path().join("fts.db")])
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("the prompts cannot be asked")?;
    anyhow::ensure!(output.status.success(), "asking the prompts ended with {}", output.status);
    let lines = String::from_utf8(output.stdout)?;
    let asked = lines.lines().map(Asked::read).collect::<anyhow::Result<Vec<_>>>()?;
    anyhow::ensure!(!asked.is_empty(), "no prompt has an answer among the memories");
    let score = Score::of(&asked);
    print!("{score}");
    Ok(score.meets_aims() || !options.is_strict)
}

fn options(args: &[&str]) -> anyhow::Result<Options> {
    let set = crate::repository::root().join(SET);
    let mut options = Options {
        memory: set.join("memory.jsonl.gz"),
        prompts: set.join("prompts-dev.jsonl"),
        is_strict: false,
    };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        if *name == "--strict" {
            options.is_strict = true;
            continue;
        }
        let value = args.next().with_context(|| format!("{name} needs a value"))?;
        match *name {
            "--memory" => options.memory = std::path::absolute(value)?,
            "--prompts" => options.prompts = std::path::absolute(value)?,
            _ => anyhow::bail!("bench recall takes --memory FILE, --prompts FILE and --strict"),
        }
    }
    for file in [&options.memory, &options.prompts] {
        anyhow::ensure!(
            file.is_file(),
            "{} is not there: name it with --memory and --prompts",
            file.display()
        );
    }
    Ok(options)
}
