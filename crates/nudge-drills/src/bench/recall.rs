//! Search quality: how often the right memory is among the first hits, compared with bare FTS5 on
//! the same files.
//!
//! Memories are imported with `nudge import memories`. Each prompt that has an answer among them is
//! passed to the `search` operation as free text, within its project. No model is used.

mod score;

use anyhow::Context;

use super::prompt_set::PromptSet;
use crate::stage::{Home, Programs};
use score::{Asked, Score};

/// Imports, searches, and prints the table.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let options = PromptSet::read("recall", args)?;
    let programs = Programs::build()?;
    let home = Home::temporary(&programs)?;
    let memory = options.memory.to_string_lossy().into_owned();
    let imported = home.run_json(&["import", "memories", &memory])?;
    eprintln!("{} memories imported from {memory}", imported["imported"]);
    let output = home
        .bare(&programs, "relevance")
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
