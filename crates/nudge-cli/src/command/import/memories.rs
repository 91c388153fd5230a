//! `nudge import memories`: imports memories that were written down elsewhere.

use std::path::PathBuf;

use clap::Args;
use nudge_memory::import::memories::{self, MemoriesReport};

use super::progress::Bar;
use crate::ephemeral::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::flags::DryRunFlag;
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::words::count;

/// How many bad lines a page shows; `--json` lists all.
const SHOWN: usize = 20;

// Selects the memories.
#[derive(Debug, Args)]
pub(super) struct MemoriesArgs {
    /// JSON Lines file with id, project, text, and optionally date and files; - reads standard
    /// input
    file: PathBuf,
    #[command(flatten)]
    dry_run: DryRunFlag,
}

impl MemoriesArgs {
    /// Imports every good line, and names every bad one.
    pub(super) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let mut bar = Bar::new(invocation.output.is_json());
        let report = memories::memories(&home, &self.file, self.dry_run.dry_run, now(), &mut |progress| {
            bar.show(progress)
        });
        bar.clear();
        let report = report?;
        let answer = serde_json::to_value(&report).unwrap_or_default();
        invocation.output.answer(&answer, |page| render(page, &report));
        Ok(Exit::Ok)
    }
}

fn render(page: &mut Page, report: &MemoriesReport) {
    let (mark, verb) = if report.dry_run { ("·", "would import") } else { ("✔", "imported") };
    let memories =
        if report.imported == 1 { "1 memory".to_owned() } else { format!("{} memories", report.imported) };
    page.good(mark)
        .text(format!(" {verb} {memories}, {} changed, {} known already", report.updated, report.known))
        .end();
    if report.bad.is_empty() {
        return;
    }
    let bad = i64::try_from(report.bad.len()).unwrap_or(i64::MAX);
    page.warning("warning:").text(format!(" {} left out", count(bad, "bad line"))).end();
    for bad in report.bad.iter().take(SHOWN) {
        page.text(format!("  line {}: {}", bad.line, bad.why)).end();
    }
    if report.bad.len() > SHOWN {
        page.text(format!("  and {} more; --json lists all", report.bad.len() - SHOWN)).end();
    }
}
