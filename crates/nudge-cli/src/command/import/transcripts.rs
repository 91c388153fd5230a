//! `nudge import claude|codex|copilot|gemini|opencode`: imports an agent's own transcripts of its
//! sessions.

use std::path::PathBuf;

use clap::Args;
use nudge_core::{Fault, Timestamp};
use nudge_harness::Harness;
use nudge_memory::import::{self, Report, Request};

use super::Bar;
use crate::durations;
use crate::exit::{Exit, Failure};
use crate::flags::DryRunFlag;
use crate::invocation::{Invocation, now, refuse_ephemeral};
use crate::pages::Page;
use crate::pages::words::count;

// Selects the transcripts.
#[derive(Debug, Args)]
pub(super) struct TranscriptArgs {
    /// Transcript, directory of transcripts or opencode database [default: where the agent keeps
    /// them]
    path: Option<PathBuf>,
    /// The transcripts at PATH are your own: propose the standing instructions in them
    #[arg(long, requires = "path")]
    mine: bool,
    #[command(flatten)]
    dry_run: DryRunFlag,
    /// Only from this time on: 2d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN", value_parser = durations::when)]
    since: Option<i64>,
    /// Only the project in this directory
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

impl TranscriptArgs {
    /// Imports new transcripts, and reports what was left out and why.
    pub(super) fn run(self, invocation: &Invocation, harness: Harness) -> Result<Exit, Failure> {
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let is_own = self.mine || self.path.is_none();
        let usual = || import::default_place(harness, &|name| std::env::var_os(name));
        let Some(path) = self.path.or_else(usual) else {
            return Err(Fault::invalid("no_place", "there is no home directory to search")
                .next(format!("name the directory: `nudge import {} PATH`", harness.name()))
                .into());
        };
        let request = Request {
            harness,
            path,
            is_own,
            dry_run: self.dry_run.dry_run,
            since: self.since.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1_000))),
            project: self.project,
            is_own_tool: nudge_agent::registry::has,
            now: now(),
        };
        let mut bar = Bar::new(invocation.output.is_json());
        let report = import::transcripts(&home, &request, &mut |progress| bar.show(progress));
        bar.clear();
        let report = report?;
        let answer = serde_json::to_value(&report).unwrap_or_default();
        invocation.output.answer(&answer, |page| render(page, harness, &report));
        Ok(Exit::Ok)
    }
}

fn render(page: &mut Page, harness: Harness, report: &Report) {
    let n = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (mark, verb) = if report.dry_run { ("·", "would import") } else { ("✔", "imported") };
    page.good(mark).text(format!(
        " {verb} {}, {} and {} from {} of {}",
        count(n(report.prompts), "prompt"),
        count(n(report.observations), "observation"),
        count(n(report.thoughts), "thought"),
        count(n(report.sessions), "session"),
        harness.spec().title,
    ));
    page.end();
    page.text(format!(
        "  {} read, {} unchanged since the last import",
        count(n(report.files), "transcript"),
        report.unchanged
    ))
    .end();
    if report.known + report.settled > 0 {
        page.text(format!("  {} known already", report.known + report.settled));
        if report.settled > 0 {
            page.text(format!(", {} of them now with their outcome", report.settled));
        }
        page.end();
    }
    if !report.skipped.is_empty() {
        page.text("  skipped:").end();
        for (why, lines) in &report.skipped {
            page.text(format!("    {lines:>7}  {}", reason(why))).end();
        }
    }
    for file in &report.unreadable {
        page.warning("  not read:").text(format!(" {file}")).end();
    }
}

/// The reason in plain words.
fn reason(why: &str) -> &str {
    match why {
        "malformed" => "lines that cannot be read",
        "injected" => "what hooks put into the context",
        "program_text" => "what the agent's program wrote itself",
        "summary" => "summaries of what was compacted",
        "answer" => "what the agent answered",
        "declined" => "calls that were not allowed",
        "cancelled" => "calls that never began, because another one failed",
        "repeated" => "duplicates of other lines",
        "bookkeeping" => "the program's own book-keeping",
        "unknown" => "kinds of lines that this version does not know",
        "excluded" => "excluded projects and files",
        "settings" => "skipped because the settings are broken; run `nudge doctor`",
        "before_since" => "older than --since",
        "other_project" => "other projects than --project",
        "no_session" => "events of no session",
        "no_call" => "results of calls in another transcript",
        "nothing" => "events with nothing to save",
        other => other,
    }
}
