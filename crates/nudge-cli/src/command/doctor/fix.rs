//! Mending what can be mended without a question.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use nudge_client::{indexing, open};
use nudge_harness::install::Part;
use nudge_memory::upkeep;

use crate::command::doctor::finding::{Finding, Fix};
use crate::exit::Failure;
use crate::invocation::{Invocation, now};
use crate::registration::{Ledger, Place, Plan, Written, apply, safe_program, small_text};

/// Does each fix once, and says so.
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
            page.text("there is nothing that --fix can mend").end();
        });
    }
    Ok(())
}

fn one(invocation: &Invocation, fix: &Fix) -> Result<String, Failure> {
    let home = invocation.home()?;
    match fix {
        Fix::Install(agent) => {
            let place = Place::find(home)?;
            safe_program::check(std::path::Path::new(&place.program))?;
            // As it was installed: without the server where the person left that out, over HTTP where it is.
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
            Ok(format!("{} is yours alone", path.display()))
        }
        Fix::Maintain => {
            // Opening it takes in what waits.
            let memory = open::open(&home, &invocation.settings()?, open::Use::Write)?;
            upkeep::catch_up(&memory, now());
            indexing::bring_up_with(&memory)?;
            Ok("what waited is taken in, and the index is up to date".to_owned())
        }
    }
}
