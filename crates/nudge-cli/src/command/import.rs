//! `nudge import`: imports exported hints, transcripts of agents, or memories from elsewhere.

mod hints;
mod memories;
mod notes;
mod progress;
mod transcripts;

pub(crate) use hints::HintFileArgs;
pub(crate) use progress::Bar;

use clap::{Args, Subcommand};
use nudge_client::indexing;
use nudge_harness::Harness;
use nudge_memory::upkeep;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    hints: HintFileArgs,
    #[command(subcommand)]
    source: Option<ImportSource>,
}

// The other sources to import from.
#[derive(Debug, Subcommand)]
enum ImportSource {
    /// Import Claude Code transcripts
    Claude(transcripts::TranscriptArgs),
    /// Import Codex transcripts
    Codex(transcripts::TranscriptArgs),
    /// Import Copilot CLI transcripts
    Copilot(transcripts::TranscriptArgs),
    /// Import Gemini CLI transcripts
    Gemini(transcripts::TranscriptArgs),
    /// Import opencode transcripts
    Opencode(transcripts::TranscriptArgs),
    /// Import CLAUDE.md, AGENTS.md and the agents' own memories as statements
    Notes(notes::NotesArgs),
    /// Import memories from a JSON Lines file, plain or gzip
    Memories(memories::MemoriesArgs),
}

impl ImportArgs {
    /// Imports from the given source.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let is_captured = self.source.is_some();
        if is_captured {
            // A transcript itself states its project and the user's words, so an agent could forge
            // both.
            refuse_agents(UserOnly::Import)?;
        }
        let exit = self.run_source(invocation)?;
        if is_captured && let Some(memory) = upkeep::open_for_reading(&invocation.home()?, now())? {
            indexing::start_if_behind(&invocation.home()?, &memory);
        }
        Ok(exit)
    }

    fn run_source(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.source {
            Some(ImportSource::Claude(args)) => args.run(invocation, Harness::Claude),
            Some(ImportSource::Codex(args)) => args.run(invocation, Harness::Codex),
            Some(ImportSource::Copilot(args)) => args.run(invocation, Harness::Copilot),
            Some(ImportSource::Gemini(args)) => args.run(invocation, Harness::Gemini),
            Some(ImportSource::Opencode(args)) => args.run(invocation, Harness::Opencode),
            Some(ImportSource::Notes(args)) => args.run(invocation),
            Some(ImportSource::Memories(args)) => args.run(invocation),
            None => self.hints.run(invocation),
        }
    }
}
