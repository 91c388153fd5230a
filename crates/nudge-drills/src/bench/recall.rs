//! Search quality: how often the right memory is among the first hits, compared with bare FTS5 on
//! the same files.
//!
//! Memories are imported with `nudge import memories`. Each prompt that has an answer among them is
//! passed to the `search` operation as free text, within its project. No model is used.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use crate::bench::table::verdict;
use crate::stage::{Home, Programs};

/// Imports, searches, and prints the table.
pub(super) fn run(options: &PromptSet) -> anyhow::Result<bool> {
    let (memory_file, prompts) = (options.memory()?, options.prompts()?);
    let programs = Programs::build()?;
    let home = Home::of(programs.nudge())?;
    let memory = memory_file.to_string_lossy().into_owned();
    let imported = home.run_json(&["import", "memories", &memory])?;
    eprintln!("{} memories imported from {memory}", imported["imported"]);
    let output = programs
        .command(&home, "relevance")
        .args([&memory_file, &prompts, &home.database(), &home.path().join("fts.db")])
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

// Hits at a depth, over all prompts and within each project.

/// The depths, and the share of prompts that should have their answer within each; `None` for no
/// aim.
const DEPTHS: [(u64, Option<f64>); 4] = [(1, Some(0.68)), (3, Some(0.80)), (5, None), (10, Some(0.86))];

/// One prompt, and the rank of the first right answer in each engine, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    project: String,
    nudge: Option<u64>,
    fts: Option<u64>,
    is_refused: bool,
}

impl Asked {
    /// Reads the program's line about a prompt.
    fn read(line: &str) -> anyhow::Result<Self> {
        let value: Value = serde_json::from_str(line)?;
        Ok(Self {
            project: value["project"].as_str().context("a prompt without its project")?.to_owned(),
            nudge: value["nudge"].as_u64(),
            fts: value["fts"].as_u64(),
            is_refused: value["refused"].as_bool().unwrap_or_default(),
        })
    }
}

/// The result.
struct Score<'a> {
    asked: &'a [Asked],
}

/// The share of prompts with an answer at each depth.
type Shares = [f64; DEPTHS.len()];

impl<'a> Score<'a> {
    const fn of(asked: &'a [Asked]) -> Self {
        Self { asked }
    }

    /// Whether enough was found and no prompt was rejected.
    fn meets_aims(&self) -> bool {
        let shares = shares(self.asked.iter().map(|asked| asked.nudge));
        let is_met = |((_, aim), share): (&(u64, Option<f64>), f64)| aim.is_none_or(|aim| share >= aim);
        self.refused() == 0 && DEPTHS.iter().zip(shares).all(is_met)
    }

    fn refused(&self) -> usize {
        self.asked.iter().filter(|asked| asked.is_refused).count()
    }
}

impl fmt::Display for Score<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| prompts | engine | hit at 1 | at 3 | at 5 | at 10 |\n|---|---|---|---|---|---|")?;
        let all: Vec<&Asked> = self.asked.iter().collect();
        rows(f, "all", &all)?;
        let ours = shares(self.asked.iter().map(|asked| asked.nudge));
        let aims = DEPTHS.iter().zip(ours).map(|((_, aim), share)| {
            aim.map_or_else(|| "–".to_owned(), |aim| format!("≥ {aim:.2}, {}", verdict(share >= aim)))
        });
        writeln!(f, "| | aim | {} |", aims.collect::<Vec<_>>().join(" | "))?;
        let projects: BTreeSet<&str> = self.asked.iter().map(|asked| asked.project.as_str()).collect();
        for project in projects {
            let of: Vec<&Asked> = self.asked.iter().filter(|asked| asked.project == project).collect();
            rows(f, project, &of)?;
        }
        match self.refused() {
            0 => Ok(()),
            refused => writeln!(f, "\n{refused} prompts were refused and count as not found."),
        }
    }
}

fn rows(f: &mut fmt::Formatter<'_>, name: &str, asked: &[&Asked]) -> fmt::Result {
    let shown = |shares: Shares| shares.map(|share| format!("{share:.3}")).join(" | ");
    let ours = shares(asked.iter().map(|asked| asked.nudge));
    let theirs = shares(asked.iter().map(|asked| asked.fts));
    writeln!(f, "| {name}, {} | Nudge | {} |", asked.len(), shown(ours))?;
    writeln!(f, "| | bare FTS5 (porter) | {} |", shown(theirs))
}

fn shares(ranks: impl Iterator<Item = Option<u64>> + Clone) -> Shares {
    let all = ranks.clone().count().max(1) as f64;
    DEPTHS.map(|(depth, _)| {
        let hits = ranks.clone().filter(|rank| rank.is_some_and(|rank| rank < depth)).count();
        hits as f64 / all
    })
}

// The files of the benches over memories and prompts: given as arguments, or in a default
// directory.

/// The default directory of the files, relative to the repository.
const DATA_DIR: &str = "../shared/bench/data/relevance";

/// The files of a bench over prompts.
#[derive(clap::Args)]
pub(crate) struct PromptSet {
    /// The memories.
    #[arg(long = "memory", value_name = "FILE")]
    pub(super) memory_file: Option<PathBuf>,
    /// The prompts.
    #[arg(long = "prompts", value_name = "FILE")]
    pub(super) prompts_file: Option<PathBuf>,
    /// A missed aim fails the run.
    #[arg(long = "strict")]
    pub(super) is_strict: bool,
}

impl PromptSet {
    pub(super) fn memory(&self) -> anyhow::Result<PathBuf> {
        existing(self.memory_file.as_deref(), "memory.jsonl.gz")
    }

    pub(super) fn prompts(&self) -> anyhow::Result<PathBuf> {
        existing(self.prompts_file.as_deref(), "prompts-dev.jsonl")
    }
}

/// A file that was named, or the one in the default set.
fn existing(named: Option<&Path>, default: &str) -> anyhow::Result<PathBuf> {
    let file = match named {
        Some(file) => std::path::absolute(file)?,
        None => crate::repository::root().join(DATA_DIR).join(default),
    };
    anyhow::ensure!(file.is_file(), "{} is not there: name it with --memory and --prompts", file.display());
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(project: &str, nudge: Option<u64>, fts: Option<u64>) -> Asked {
        Asked { project: project.to_owned(), nudge, fts, is_refused: false }
    }

    #[test]
    fn a_hit_counts_from_its_rank_on() {
        let all = [asked("a", Some(0), Some(2)), asked("a", Some(4), None), asked("b", None, Some(9))];
        let expected = "\
| prompts | engine | hit at 1 | at 3 | at 5 | at 10 |
|---|---|---|---|---|---|
| all, 3 | Nudge | 0.333 | 0.333 | 0.667 | 0.667 |
| | bare FTS5 (porter) | 0.000 | 0.333 | 0.333 | 0.667 |
| | aim | ≥ 0.68, **missed** | ≥ 0.80, **missed** | – | ≥ 0.86, **missed** |
| a, 2 | Nudge | 0.500 | 0.500 | 1.000 | 1.000 |
| | bare FTS5 (porter) | 0.000 | 0.500 | 0.500 | 0.500 |
| b, 1 | Nudge | 0.000 | 0.000 | 0.000 | 0.000 |
| | bare FTS5 (porter) | 0.000 | 0.000 | 0.000 | 1.000 |
";
        assert_eq!(Score::of(&all).to_string(), expected);
        assert!(!Score::of(&all).meets_aims());
    }

    #[test]
    fn a_refused_prompt_is_said_and_misses_the_aim() {
        let read =
            Asked::read(r#"{"project":"a","nudge":0,"fts":null,"refused":true}"#).expect("well formed");
        let all = [read];
        assert!(Score::of(&all).to_string().ends_with("\n1 prompts were refused and count as not found.\n"));
        assert!(!Score::of(&all).meets_aims());
        assert!(Score::of(&[asked("a", Some(0), None)]).meets_aims());
    }
}
