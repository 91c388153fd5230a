//! `nudge import claude|codex|copilot|gemini|opencode`: what an agent wrote down of its sessions.

use std::path::PathBuf;

use clap::Args;
use nudge_core::{Fault, Timestamp};
use nudge_harness::Harness;
use nudge_memory::import::{self, Report, Request};

use super::progress::Bar;
use crate::ephemeral::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::words::count;

// Which transcripts.
#[derive(Debug, Args)]
pub(super) struct TranscriptArgs {
    /// A transcript, a directory of them, or opencode's database [default: where the agent keeps them]
    path: Option<PathBuf>,
    /// Look only: write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only what happened since that day or time, such as 2026-01-31
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only what happened in the project of that directory
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

impl TranscriptArgs {
    /// Takes in what is new, and says what was left out and why.
    pub(super) fn run(self, invocation: &Invocation, harness: Harness) -> Result<Exit, Failure> {
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let usual = || import::default_place(harness, &|name| std::env::var_os(name));
        let Some(path) = self.path.or_else(usual) else {
            return Err(Fault::invalid("no_place", "there is no home directory to look in")
                .next(format!("name the place: `nudge import {} PATH`", harness.name()))
                .into());
        };
        let request = Request {
            harness,
            path,
            dry_run: self.dry_run,
            since: self.since.as_deref().map(moment).transpose()?,
            project: self.project,
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

fn moment(text: &str) -> Result<Timestamp, Fault> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z"))).ok_or_else(|| {
        Fault::invalid("not_a_date", "--since is neither a day nor a time with an offset")
            .next("write it as 2026-01-31 or 2026-01-31T08:00:00Z")
    })
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
        page.text("  left out:").end();
        for (why, lines) in &report.skipped {
            page.text(format!("    {lines:>7}  {}", reason(why))).end();
        }
    }
    for file in &report.unreadable {
        page.warning("  not read:").text(format!(" {file}")).end();
    }
}

/// A reason in words.
fn reason(why: &str) -> &str {
    match why {
        "malformed" => "lines that cannot be read",
        "injected" => "what hooks put into the context",
        "program_text" => "what the agent's program wrote itself",
        "summary" => "summaries of what was compacted",
        "answer" => "what the agent answered",
        "declined" => "calls that were not allowed",
        "cancelled" => "calls that never began, because one beside them failed",
        "repeated" => "what another line tells as well",
        "bookkeeping" => "the program's own book-keeping",
        "unknown" => "kinds of lines that this version does not know",
        "excluded" => "excluded projects and files",
        "settings" => "left out while the settings are broken; see `nudge doctor`",
        "before_since" => "older than --since",
        "other_project" => "other projects than --project",
        "no_session" => "events of no session",
        "no_call" => "results of calls that another transcript holds",
        "nothing" => "events that hold nothing to keep",
        other => other,
    }
}
