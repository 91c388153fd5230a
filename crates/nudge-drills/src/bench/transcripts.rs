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
mod contents;
mod other_agents;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use contents::Agent;
use nudge_core::Speaker;
use nudge_store::{SessionId, Store, StoreError};
use report::Report;

use super::transcripts::contents::normal;
use crate::args::Product;
use crate::stage::Home;

/// The default directory of the files, relative to the repository.
const DATA_DIR: &str = "../shared/harness/transcripts";

/// The file that lists what was missed.
const MISSES_FILE: &str = "target/transcripts-misses.jsonl";

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The directory of the transcripts.
    #[arg(long)]
    dir: Option<PathBuf>,
    #[command(flatten)]
    product: Product,
    /// A missed aim fails the run.
    #[arg(long)]
    strict: bool,
}

/// Reads, imports, compares and prints the table.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let dir = options.dir.clone().unwrap_or_else(|| crate::repository::root().join(DATA_DIR));
    anyhow::ensure!(dir.is_dir(), "there is no directory {}", dir.display());
    let nudge = options.product.path()?;
    let home = Home::of(nudge)?;
    let unpacked = contents::unpack(&dir, &home.path().join("transcripts"))?;
    let mut collected = contents::Collected::default();
    for file in &unpacked.files {
        let text = std::fs::read(&file.path)?;
        let text = String::from_utf8_lossy(&text);
        let mut collector = contents::Collector::new(&mut collected, file);
        match file.agent {
            Agent::Claude => claude::collect(&text, &mut collector),
            Agent::Codex => other_agents::collect(&text, &mut collector),
            Agent::Copilot => other_agents::collect_copilot(&text, &mut collector),
            Agent::Gemini => other_agents::collect_gemini(&text, &mut collector),
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
    report.compare(collected, &read(&home)?);
    let misses = crate::repository::root().join(MISSES_FILE);
    std::fs::write(&misses, report.misses())?;
    print!("{report}");
    println!("what was missed: {MISSES_FILE}");
    Ok(report.meets_aims() || !options.strict)
}

// The contents of the memory after the import.

/// More rows than any session has.
const ALL_ROWS: u32 = 100_000;

/// The stored rows.
#[derive(Debug, Default)]
struct Stored {
    /// The texts stored as a person's, by session.
    persons: BTreeMap<String, Vec<String>>,
    /// The top directories of the projects.
    projects: Vec<String>,
}

/// Reads the memory of a home.
fn read(home: &Home) -> anyhow::Result<Stored> {
    let store = Store::open(&home.read_options())?;
    let stored = store.read(|reader| {
        let mut stored = Stored {
            projects: reader.projects()?.into_iter().map(|project| project.root).collect(),
            ..Stored::default()
        };
        let mut last = SessionId(0);
        loop {
            let sessions = reader.agent_sessions_after(last, 1_000)?;
            let Some(newest) = sessions.last() else { break };
            last = newest.id;
            for session in &sessions {
                let prompts = reader.prompts_of_session(session.id, ALL_ROWS)?;
                let speech = prompts.into_iter().filter(|prompt| prompt.speaker == Speaker::Person);
                let speech: Vec<String> = speech.map(|prompt| normal(&prompt.body)).collect();
                stored.persons.entry(session.name.clone()).or_default().extend(speech);
            }
        }
        Ok::<_, StoreError>(stored)
    })?;
    Ok(stored)
}
