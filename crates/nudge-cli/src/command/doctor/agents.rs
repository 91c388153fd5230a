//! Checks that the user's agents have Nudge, run its hooks and see its tools.

mod about;
mod briefly;
mod entries;
mod probe;
mod seen;
mod switched_off;
mod trust;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nudge_home::Home;

use crate::command::doctor::finding::{Finding, Fix, Verdict, paths_in_words};
use crate::invocation::Invocation;
use crate::private_file::abandoned_parts;
use crate::registration::{Agent, Detected, InstallContext, Ledger, real, safe_program};
use about::AgentFacts;

const NAME: &str = "agents";

/// Checks every agent that is on this machine or that Nudge was installed into.
pub(super) fn all(invocation: &Invocation, home: &Home, may_probe: bool) -> Vec<Finding> {
    let Ok(place) = InstallContext::find(home.clone()) else {
        return vec![Finding::ok(NAME, "not looked for")];
    };
    let ledger = match Ledger::read(home) {
        Ok(ledger) => ledger,
        Err(fault) => return vec![Finding::fault(NAME, fault)],
    };
    let seen = seen::by_agent(home);
    let mut findings = Vec::new();
    let mut absent = Vec::new();
    let mut dirs = BTreeSet::new();
    for (agent, installer) in Agent::installable() {
        let detected = Detected::of(agent, installer, &place);
        let was_installed = ledger.agents().contains(agent.name());
        if !detected.is_there() && !was_installed {
            absent.push(agent.title());
            continue;
        }
        let about = AgentFacts { agent, place: &place, detected: &detected, ledger: &ledger };
        dirs.extend(
            about.targets().iter().filter_map(|target| real(target.path()).parent().map(Path::to_owned)),
        );
        let before = findings.len();
        findings.extend(entries::check(&about));
        if !about.is_installed() {
            continue;
        }
        findings.extend(switched_off::check(&about));
        let is_well = |findings: &[Finding]| findings.iter().all(|finding| finding.verdict == Verdict::Ok);
        // Entries that must be rewritten need the user's trust again afterwards, so trust matters
        // only when they are fine.
        if is_well(&findings[before..]) {
            findings.extend(trust::check(&about));
        }
        let is_well = is_well(&findings[before..]);
        findings.push(seen::check(&about, &seen));
        // A probe that is bound to fail adds nothing.
        if is_well && may_probe {
            findings.extend(probe::check(invocation, &about));
        }
    }
    // Agents that the user set up by hand.
    for agent in Agent::all().filter(|agent| agent.0.installer().is_none()) {
        findings.extend(seen::by_hand(agent, &seen));
    }
    findings.extend(left_in(&dirs));
    findings.extend(program(&place));
    if !absent.is_empty() {
        findings.push(Finding::ok(NAME, format!("not on this machine: {}", absent.join(", "))));
    }
    findings
}

/// Reports copies of settings that a killed process left beside them.
fn left_in(dirs: &BTreeSet<PathBuf>) -> Option<Finding> {
    let left: Vec<PathBuf> = dirs.iter().flat_map(|dir| abandoned_parts(dir)).collect();
    (!left.is_empty()).then(|| {
        let why = format!("a killed process left copies of settings: {}", paths_in_words(&left));
        Finding::warn(NAME, why, "remove them with `nudge doctor --fix`").fixed_by(Fix::Remove(left))
    })
}

/// Reports a program that other users can replace: every agent would run it.
fn program(place: &InstallContext) -> Option<Finding> {
    let fault = safe_program::check(std::path::Path::new(&place.program)).err()?;
    Some(Finding::fault("program", fault))
}
