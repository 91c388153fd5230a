//! `nudge doctor`: is everything well, and if not, what to do.

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

use crate::agent_above::{agent_above, refuse_agents};
use crate::command::doctor::finding::{Finding, Verdict};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

/// Where the text of a finding begins: verdict, name and the blanks between.
const INDENT: usize = 16;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
For each agent that Nudge is in, one test event goes through the command that the
agent would run; it is searched for and removed again. Exit status: 1 when
something needs mending, else 0.")]
pub(crate) struct DoctorArgs {
    /// Mend what can be mended safely, and look again
    #[arg(long)]
    fix: bool,
    /// Send no test event
    #[arg(long)]
    no_probe: bool,
}

impl DoctorArgs {
    /// Looks at everything; fails when something needs mending.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // A test event is the person's to send; what an agent runs would be its own.
        let may_probe = !self.no_probe && agent_above().is_none();
        if self.fix {
            refuse_agents("nudge doctor --fix")?;
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
    if let Some(way_out) = &finding.way_out {
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
