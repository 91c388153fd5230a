//! `nudge import`: take in hints that were exported, the transcripts of agents, or memories from elsewhere.

mod hints;
mod memories;
mod notes;
mod progress;
mod transcripts;

pub(crate) use progress::Bar;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use nudge_client::indexing;
use nudge_harness::Harness;
use nudge_memory::upkeep;

use crate::agent_above::refuse_agents;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ImportArgs {
    /// File that `nudge export` wrote; `-` reads standard input
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// Whether hints that are not in the file stay (merge) or are removed (replace)
    #[arg(long, default_value = "merge")]
    mode: hints::Mode,
    /// Yes, remove the hints that are not in the file
    #[arg(long)]
    yes: bool,
    #[command(subcommand)]
    source: Option<ImportSource>,
}

// What else can be imported.
#[derive(Debug, Subcommand)]
enum ImportSource {
    /// Take in what Claude Code wrote down of its sessions
    Claude(transcripts::TranscriptArgs),
    /// Take in what Codex wrote down of its sessions
    Codex(transcripts::TranscriptArgs),
    /// Take in what Copilot CLI wrote down of its sessions
    Copilot(transcripts::TranscriptArgs),
    /// Take in what Gemini CLI wrote down of its sessions
    Gemini(transcripts::TranscriptArgs),
    /// Take in what opencode wrote down of its sessions
    Opencode(transcripts::TranscriptArgs),
    /// Take in CLAUDE.md, AGENTS.md and the agents' own memories, as statements with their source
    Notes(notes::NotesArgs),
    /// Take in memories from a file of JSON lines, plain or compressed with gzip
    Memories(memories::MemoriesArgs),
}

impl ImportArgs {
    /// Takes in what was named.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let is_captured = self.source.is_some();
        if is_captured {
            // A transcript says for itself which project it is of, and what a person said in it.
            refuse_agents("nudge import")?;
        }
        let exit = self.take_in(invocation)?;
        if is_captured && let Some(memory) = upkeep::look(&invocation.home()?, now())? {
            indexing::start_if_behind(&invocation.home()?, &memory);
        }
        Ok(exit)
    }

    fn take_in(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.source {
            Some(ImportSource::Claude(args)) => args.run(invocation, Harness::Claude),
            Some(ImportSource::Codex(args)) => args.run(invocation, Harness::Codex),
            Some(ImportSource::Copilot(args)) => args.run(invocation, Harness::Copilot),
            Some(ImportSource::Gemini(args)) => args.run(invocation, Harness::Gemini),
            Some(ImportSource::Opencode(args)) => args.run(invocation, Harness::Opencode),
            Some(ImportSource::Notes(args)) => args.run(invocation),
            Some(ImportSource::Memories(args)) => args.run(invocation),
            None => {
                let file =
                    self.file.ok_or_else(|| Failure::Usage("a file to import is missing".to_owned()))?;
                hints::run(invocation, &file, self.mode, self.yes)
            }
        }
    }
}
