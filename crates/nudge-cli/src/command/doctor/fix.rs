//! Applies the fixes that need no confirmation.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use nudge_client::{indexing, open};
use nudge_harness::install::Part;
use nudge_memory::upkeep;

use crate::command::doctor::finding::{Finding, Fix, paths_in_words};
use crate::exit::Failure;
use crate::invocation::{Invocation, now};
use crate::registration::{InstallContext, Ledger, Plan, Written, apply, safe_program, small_text};

/// Applies each fix once, and reports it.
pub(super) fn run(invocation: &Invocation, findings: &[Finding]) -> Result<(), Failure> {
    let mut done: Vec<&Fix> = Vec::new();
    for fix in findings.iter().filter_map(|finding| finding.fix.as_ref()) {
        if done.contains(&fix) {
            continue;
        }
        done.push(fix);
        let outcome = one(invocation, fix);
        invocation.output.aside(|page| match &outcome {
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
        invocation.output.aside(|page| {
            page.text("--fix found nothing to repair").end();
        });
    }
    Ok(())
}

fn one(invocation: &Invocation, fix: &Fix) -> Result<String, Failure> {
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
            apply::install(&plan, &place)?;
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
