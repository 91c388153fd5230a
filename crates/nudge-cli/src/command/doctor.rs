//! `nudge doctor`: checks the installation and says how to fix each problem.

mod agents;
mod capture;
mod checks;
mod failures;
mod filesystem;
mod finding;
mod fix;
mod index;
mod memories;
mod retention;
mod store;
mod users;

use clap::Args;
use nudge_core::text;
use serde_json::json;

use crate::agent_above::{UserOnly, calling_agent, refuse_agents};
use crate::command::doctor::finding::{Finding, Verdict};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

/// The column where the text of a finding starts, after the verdict, the name and the spaces.
const INDENT: usize = 16;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
For each installed agent, doctor sends one test event through the command that
the agent runs, looks for it in the memory and removes it. The exit code is 1 if
something needs fixing, otherwise 0.")]
pub(crate) struct DoctorArgs {
    /// Fix what can be fixed safely, then check again
    #[arg(long)]
    fix: bool,
    /// Do not send a test event
    #[arg(long)]
    no_probe: bool,
}

impl DoctorArgs {
    /// Runs every check. Fails when something needs a fix.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // Only the user may send a test event. If an agent ran it, the event would count as the
        // agent's own.
        let may_probe = !self.no_probe && calling_agent().is_none();
        if self.fix {
            refuse_agents(UserOnly::DoctorFix)?;
            fix::run(invocation, &checks::all(invocation, false))?;
        }
        let findings = checks::all(invocation, may_probe);
        let sick = findings.iter().any(|finding| finding.verdict == Verdict::Fail);
        let rows: Vec<_> = findings.iter().map(Finding::to_json).collect();
        invocation.output.answer(&json!({"ok": !sick, "checks": rows}), |page| {
            for finding in &findings {
                render(page, finding);
            }
        });
        Ok(if sick { Exit::Failed } else { Exit::Ok })
    }
}

fn render(page: &mut Page, finding: &Finding) {
    match finding.verdict {
        Verdict::Ok => page.good("ok    "),
        Verdict::Warn => page.warning("warn  "),
        Verdict::Fail => page.bad("fail  "),
    };
    page.strong(format!("{:<10}", finding.name));
    lines(page, &finding.message, false);
    if let Some(way_out) = &finding.next_step {
        lines(page, &format!("→ {way_out}"), true);
    }
}

fn lines(page: &mut Page, text: &str, indented: bool) {
    let columns = page.columns().saturating_sub(INDENT);
    for (index, line) in text::wrap(text, columns).iter().enumerate() {
        if indented || index > 0 {
            page.text(" ".repeat(INDENT));
        }
        page.text(line).end();
    }
}
