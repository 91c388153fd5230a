//! `nudge import`: imports exported hints, transcripts of agents, or memories from elsewhere.

mod hints;
mod notes;
mod transcripts;

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use nudge_client::indexing;
use nudge_harness::Harness;
use nudge_memory::import::Progress;
use nudge_memory::upkeep;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};

pub(crate) use hints::HintFileArgs;

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
    Memories(notes::MemoriesArgs),
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

// A progress bar on standard error, while a user waits at a terminal.

/// How often to redraw. Faster than the eye can follow would be wasted work.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The width of the bar, in columns.
const BAR_WIDTH: u64 = 30;

/// A bar, or nothing if nobody can see it.
#[derive(Debug)]
pub(crate) struct Bar {
    seen: bool,
    drawn: Option<Instant>,
}

impl Bar {
    /// With JSON output, or if standard error is a file or pipe, nothing is drawn.
    pub(crate) fn new(for_programs: bool) -> Self {
        Self { seen: !for_programs && std::io::stderr().is_terminal(), drawn: None }
    }

    /// Draws the progress.
    pub(crate) fn show(&mut self, progress: Progress) {
        if !self.seen || self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW_INTERVAL) {
            return;
        }
        self.drawn = Some(Instant::now());
        draw(&format!("\r{}", text(progress)));
    }

    /// Removes the bar.
    pub(crate) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            draw("\r\u{1b}[K");
        }
    }
}

fn text(progress: Progress) -> String {
    let Some(share) = (progress.done.min(progress.total) * 100).checked_div(progress.total) else {
        return format!("  {} lines", progress.done);
    };
    let full = share * BAR_WIDTH / 100;
    let bar: String = (0..BAR_WIDTH).map(|at| if at < full { '█' } else { '·' }).collect();
    format!("  {bar} {share:>3} %")
}

// If the terminal is gone, the import continues.
fn draw(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up_and_an_unknown_length_is_counted() {
        let at = |done, total| text(Progress { done, total });
        assert_eq!(at(0, 10), format!("  {}   0 %", "·".repeat(30)));
        assert_eq!(at(10, 10), format!("  {} 100 %", "█".repeat(30)));
        assert_eq!(at(5, 10), format!("  {}{}  50 %", "█".repeat(15), "·".repeat(15)));
        assert_eq!(at(7, 0), "  7 lines");
        assert_eq!(at(20, 10), at(10, 10));
    }
}
