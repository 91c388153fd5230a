//! What people said: how much of it an import stores, by kind, and whether a program's words are
//! taken for a person's.
//!
//! The bench reads transcripts of Claude Code, Codex, Copilot and Gemini itself, without code of
//! `nudge-harness`, and lists what people said in them. Then the real binary imports the same files
//! into an empty home, and everything it stores as a person's is compared with the list, session by
//! session.
//!
//! `cargo xtask bench transcripts [--dir DIR] [--bin PATH] [--strict]`; DIR may contain `.jsonl`
//! and `.json` files in any layout, with or without gzip.

mod claude;
mod codex;
mod copilot;
mod files;
mod gemini;
mod kept;
mod report;
mod said;
mod tags;

use std::path::PathBuf;

use anyhow::Context;

use crate::stage::{Home, Programs};
use files::Agent;
use report::Report;

/// The default directory of the files, relative to the repository.
const SET: &str = "../shared/harness/transcripts";

/// The file that lists what was missed.
const MISSES: &str = "target/transcripts-misses.jsonl";

struct Options {
    dir: PathBuf,
    /// A binary that is already built.
    binary: Option<PathBuf>,
    /// Whether a missed aim fails the run.
    is_strict: bool,
}

/// Reads, imports, compares and prints the table.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let options = options(args)?;
    let nudge = match &options.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => Programs::product()?,
    };
    let home = Home::of(nudge)?;
    let unpacked = files::unpack(&options.dir, &home.path().join("transcripts"))?;
    let mut heard = said::Heard::default();
    for file in &unpacked.files {
        let text = std::fs::read(&file.path)?;
        let text = String::from_utf8_lossy(&text);
        let mut listener = said::Listener::new(&mut heard, file);
        match file.agent {
            Agent::Claude => claude::listen(&text, &mut listener),
            Agent::Codex => codex::listen(&text, &mut listener),
            Agent::Copilot => copilot::listen(&text, &mut listener),
            Agent::Gemini => gemini::listen(&text, &mut listener),
        }
    }
    let mut report = Report::new(&unpacked);
    for agent in unpacked.agents() {
        let dir = unpacked.dir(agent).to_string_lossy().into_owned();
        let output = home.nudge(&["import", agent.name(), &dir, "--json"]).output()?;
        if !output.status.success() {
            report.failed(agent, String::from_utf8_lossy(&output.stderr).trim());
        }
    }
    report.compare(heard, &kept::read(&home)?);
    let misses = crate::repository::root().join(MISSES);
    std::fs::write(&misses, report.misses())?;
    print!("{report}");
    println!("what was missed: {MISSES}");
    Ok(report.meets_aims() || !options.is_strict)
}

fn options(args: &[&str]) -> anyhow::Result<Options> {
    let mut options = Options { dir: crate::repository::root().join(SET), binary: None, is_strict: false };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        match (*name, args.as_slice()) {
            ("--strict", _) => options.is_strict = true,
            ("--dir", [dir, ..]) => {
                options.dir = PathBuf::from(dir);
                args.next();
            }
            ("--bin", [path, ..]) => {
                options.binary = Some(PathBuf::from(path));
                args.next();
            }
            _ => anyhow::bail!("usage: bench transcripts [--dir DIR] [--bin PATH] [--strict]"),
        }
    }
    anyhow::ensure!(options.dir.is_dir(), "there is no directory {}", options.dir.display());
    Ok(options)
}
