//! `nudge doctor`: checks the installation and says how to fix each problem.

mod agents;
mod capture;
mod checks;
mod finding;
mod store;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use clap::Args;
use nudge_client::{indexing, open};
use nudge_core::text;
use nudge_harness::install::Part;
use nudge_memory::upkeep;
use serde_json::json;

use crate::agent_above::{UserOnly, calling_agent, refuse_agents};
use crate::command::doctor::finding::{Finding, Fix, Severity, paths_in_words};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::registration::{InstallContext, Ledger, Plan, Written, plan, safe_program, small_text};

/// The column where the text of a finding starts, after the verdict, the name and the spaces.
const TEXT_INDENT: usize = 16;

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
    /// Also compare every index with its table, row by row
    #[arg(long)]
    deep: bool,
}

impl DoctorArgs {
    /// Runs every check. Fails when something needs a fix.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // Only the user may send a test event. If an agent ran it, the event would count as the
        // agent's own.
        let may_probe = !self.no_probe && calling_agent().is_none();
        if self.fix {
            refuse_agents(UserOnly::DoctorFix)?;
            fix_all(invocation, &checks::all(invocation, false, self.deep))?;
        }
        let findings = checks::all(invocation, may_probe, self.deep);
        let sick = findings.iter().any(|finding| finding.severity == Severity::Fail);
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
    match finding.severity {
        Severity::Ok => page.good("ok    "),
        Severity::Warn => page.warning("warn  "),
        Severity::Fail => page.bad("fail  "),
    };
    page.strong(format!("{:<10}", finding.name));
    lines(page, &finding.message, false);
    if let Some(way_out) = &finding.next_step {
        lines(page, &format!("→ {way_out}"), true);
    }
}

fn lines(page: &mut Page, text: &str, indented: bool) {
    let columns = page.columns().saturating_sub(TEXT_INDENT);
    for (index, line) in text::wrap(text, columns).iter().enumerate() {
        if indented || index > 0 {
            page.text(" ".repeat(TEXT_INDENT));
        }
        page.text(line).end();
    }
}

// Applies the fixes that need no confirmation.

/// Applies each fix once, and reports it.
fn fix_all(invocation: &Invocation, findings: &[Finding]) -> Result<(), Failure> {
    let mut done: Vec<&Fix> = Vec::new();
    for fix in findings.iter().filter_map(|finding| finding.fix.as_ref()) {
        if done.contains(&fix) {
            continue;
        }
        done.push(fix);
        let outcome = fix_one(invocation, fix);
        invocation.output.note(|page| match &outcome {
            Ok(said) => {
                page.good("fixed ").text(said).end();
            }
            Err(Failure::Fault(fault)) => {
                page.bad("not fixed ").text(&fault.message).end();
            }
            Err(Failure::Usage(why)) => {
                page.bad("not fixed ").text(why).end();
            }
        });
    }
    if done.is_empty() {
        invocation.output.note(|page| {
            page.text("--fix found nothing to repair").end();
        });
    }
    Ok(())
}

fn fix_one(invocation: &Invocation, fix: &Fix) -> Result<String, Failure> {
    let home = invocation.home()?;
    match fix {
        Fix::Install(agent) => {
            let place = InstallContext::find(home)?;
            safe_program::check(std::path::Path::new(&place.program))?;
            // Installs in the same way as before: without the server if the user left it out, and
            // over HTTP if it was over HTTP.
            let ledger = Ledger::read(&place.home)?;
            let of_agent = |written: &&Written| written.agent.as_deref() == Some(agent.name());
            let server =
                ledger.files().iter().filter(of_agent).find(|written| written.part == Part::Server.name());
            let text = server.and_then(|written| small_text(&written.path)).unwrap_or_default();
            let place = place.as_registered_in(&text);
            let plan = Plan::install(&place, &[*agent], server.is_some())?;
            plan::install(&plan, &place)?;
            Ok(format!("the entries in {}", agent.title()))
        }
        Fix::Close(path) => {
            let mode = if path.is_dir() { 0o700 } else { 0o600 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|error| {
                nudge_core::Fault::invalid("not_closed", format!("{}: {error}", path.display()))
            })?;
            Ok(format!("{} is readable by you alone", path.display()))
        }
        Fix::Remove(left) => {
            for path in left {
                fs::remove_file(path).map_err(|error| {
                    nudge_core::Fault::invalid("not_removed", format!("{}: {error}", path.display()))
                })?;
            }
            Ok(format!("removed what a killed process left: {}", paths_in_words(left)))
        }
        Fix::Maintain => {
            // Opening the memory imports the waiting events.
            let memory = open::open(&home, &invocation.settings()?, open::OpenFor::Write)?;
            upkeep::catch_up(&memory, now());
            indexing::update_index_of(&memory)?;
            Ok("imported the waiting events; the index is up to date".to_owned())
        }
    }
}
