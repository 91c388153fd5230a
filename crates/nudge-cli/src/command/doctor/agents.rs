//! Checks that the user's agents have Nudge, run its hooks and see its tools.

mod entries;
mod probe;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_harness::install::Part;
use nudge_home::Home;
use nudge_memory::upkeep;
use serde_json::Value;

use crate::command::doctor::finding::{Finding, Fix, Severity, paths_in_words};
use crate::context_args::working_directory;
use crate::invocation::{Invocation, now};
use crate::pages::time;
use crate::private_file::abandoned_parts;
use crate::registration::{
    Agent, Detected, InstallContext, Ledger, SettingsFile, Target, Written, real, safe_program, small_text,
};

const AGENTS_CHECK: &str = "agents";

/// Checks every agent that is on this machine or that Nudge was installed into.
pub(super) fn all(invocation: &Invocation, home: &Home, may_probe: bool) -> Vec<Finding> {
    let Ok(place) = InstallContext::find(home.clone()) else {
        return vec![Finding::ok(AGENTS_CHECK, "not looked for")];
    };
    let ledger = match Ledger::read(home) {
        Ok(ledger) => ledger,
        Err(fault) => return vec![Finding::fault(AGENTS_CHECK, fault)],
    };
    let seen = by_agent(home);
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
        findings.extend(check_switched_off(&about));
        let is_well = |findings: &[Finding]| findings.iter().all(|finding| finding.severity == Severity::Ok);
        // Entries that must be rewritten need the user's trust again afterwards, so trust matters
        // only when they are fine.
        if is_well(&findings[before..]) {
            findings.extend(check_trust(&about));
        }
        let is_well = is_well(&findings[before..]);
        findings.push(check_seen(&about, &seen));
        // A probe that is bound to fail adds nothing.
        if is_well && may_probe {
            findings.extend(probe::check(invocation, &about));
        }
    }
    // Agents that the user set up by hand.
    for agent in Agent::all().filter(|agent| agent.0.installer().is_none()) {
        findings.extend(by_hand(agent, &seen));
    }
    findings.extend(left_in(&dirs));
    findings.extend(program(&place));
    if !absent.is_empty() {
        findings.push(Finding::ok(AGENTS_CHECK, format!("not on this machine: {}", absent.join(", "))));
    }
    findings
}

/// Reports copies of settings that a killed process left beside them.
fn left_in(dirs: &BTreeSet<PathBuf>) -> Option<Finding> {
    let left: Vec<PathBuf> = dirs.iter().flat_map(|dir| abandoned_parts(dir)).collect();
    (!left.is_empty()).then(|| {
        let why = format!("a killed process left copies of settings: {}", paths_in_words(&left));
        Finding::warn(AGENTS_CHECK, why, "remove them with `nudge doctor --fix`").fixed_by(Fix::Remove(left))
    })
}

/// Reports a program that other users can replace: every agent would run it.
fn program(place: &InstallContext) -> Option<Finding> {
    let fault = safe_program::check(std::path::Path::new(&place.program)).err()?;
    Some(Finding::fault("program", fault))
}

/// One agent and the facts that the checks need.
struct AgentFacts<'a> {
    agent: Agent,
    place: &'a InstallContext,
    detected: &'a Detected,
    /// The record of our entries in the agent's files.
    ledger: &'a Ledger,
}

impl AgentFacts<'_> {
    /// The user's files that have, or should have, our entries. Parts that the user chose not to
    /// install are not reported as missing.
    fn targets(&self) -> Vec<Target> {
        let is_noted = self.ledger.agents().contains(self.agent.name());
        let mut all = self.all_targets(self.place);
        all.retain(|target| !is_noted || self.is_noted_at(target) || !self.programs(target).is_empty());
        all
    }

    fn all_targets(&self, place: &InstallContext) -> Vec<Target> {
        let installer = self.agent.0.installer();
        installer.map(|installer| Target::of_agent(place, self.agent, installer)).unwrap_or_default()
    }

    /// The ledger's rows for this agent that are for the user, not for a project.
    fn ledger_rows(&self) -> impl Iterator<Item = &Written> {
        let is_meant = |written: &&Written| {
            written.agent.as_deref() == Some(self.agent.name()) && written.project.is_none()
        };
        self.ledger.files().iter().filter(is_meant)
    }

    fn is_noted_at(&self, target: &Target) -> bool {
        let (real, part) = (real(target.path()), target.part().map_or("", Part::name));
        self.ledger_rows().any(|written| written.path == real || written.part == part)
    }

    /// Whether Nudge was installed into it for the user.
    fn was_installed(&self) -> bool {
        self.ledger_rows().next().is_some()
    }

    /// The files of the project in the working directory.
    fn project_targets(&self) -> Vec<Target> {
        let Ok(place) = self.place.at_project(None).in_project_of(&working_directory()) else {
            return Vec::new();
        };
        self.all_targets(&place)
    }

    /// Whether any of our hooks is there.
    fn is_installed(&self) -> bool {
        let all = self.targets().into_iter().chain(self.project_targets());
        all.into_iter().any(|target| target.is_hooks() && !self.programs(&target).is_empty())
    }

    fn programs(&self, target: &Target) -> Vec<String> {
        let text = text(target).ok().flatten().unwrap_or_default();
        target.programs(&text, self.place)
    }

    /// The file with our hooks, and its text.
    fn hooks(&self) -> Option<(Target, String)> {
        let target = self.targets().into_iter().find(Target::is_hooks)?;
        let text = text(&target).ok().flatten()?;
        Some((target, text))
    }

    /// The name of its findings.
    fn name(&self) -> &'static str {
        self.agent.name()
    }

    fn again(&self) -> String {
        format!("run `nudge install {}` again", self.agent.name())
    }
}

/// The text of a file; `None` if it is missing.
fn text(target: &Target) -> Result<Option<String>, Fault> {
    Ok(SettingsFile::read(target.path())?.text().map(str::to_owned))
}

/// A new installation without any event for this long gets a warning.
const NO_EVENT_WARNING_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The time of the last event from each agent.
fn by_agent(home: &Home) -> BTreeMap<String, Timestamp> {
    let memory = upkeep::open_for_reading(home, now()).ok().flatten();
    let seen = memory.and_then(|memory| upkeep::last_seen(&memory).ok());
    seen.unwrap_or_default().into_iter().collect()
}

/// Whether the agent's hooks sent an event since they were installed.
fn check_seen(about: &AgentFacts<'_>, seen: &BTreeMap<String, Timestamp>) -> Finding {
    let installed = Ledger::read(&about.place.home).ok().and_then(|ledger| ledger.installed_at(about.agent));
    let seen = seen.get(about.agent.name()).copied();
    let said = |at: Timestamp| time::long(at, now());
    match (seen, installed) {
        (Some(seen), installed) if installed.is_none_or(|installed| seen >= installed) => {
            Finding::ok(about.name(), format!("last event {}", said(seen)))
        }
        (_, Some(installed)) if now().since(installed) > NO_EVENT_WARNING_AFTER => Finding::warn(
            about.name(),
            format!("no event since it was installed, {}", said(installed)),
            about
                .agent
                .0
                .installer()
                .and_then(|installer| installer.afterwards)
                .unwrap_or("start a new session of it, and run `nudge doctor` again"),
        ),
        _ => Finding::ok(about.name(), "no event since it was installed; start a new session of it"),
    }
}

/// When an agent that was set up by hand last sent an event. `None` if it never did.
fn by_hand(agent: Agent, seen: &BTreeMap<String, Timestamp>) -> Option<Finding> {
    let seen = seen.get(agent.name())?;
    let last = time::long(*seen, now());
    Some(Finding::ok(agent.name(), format!("{}, set up by hand: last event {last}", agent.title())))
}

/// A finding if a setting of the agent switches all hooks off.
fn check_switched_off(about: &AgentFacts<'_>) -> Option<Finding> {
    let installer = about.agent.0.installer()?;
    let switch = installer.switched_off?;
    let file = about.place.directory(installer).join(switch.file);
    let text = small_text(&file)?;
    let value: Value = if switch.file.ends_with(".toml") {
        serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()?
    } else {
        serde_json::from_str(&text).ok()?
    };
    let said = switch.keys.iter().try_fold(&value, |value, key| value.get(*key))?;
    (said.as_bool() == Some(switch.off)).then(|| {
        let setting = format!("{} = {}", switch.keys.join("."), switch.off);
        let why = format!("{} has `{setting}`: no hook runs, so nothing is captured", file.display());
        Finding::fail(about.name(), why, "remove that setting")
    })
}

/// A finding if the agent skips our hooks. The agent itself does not report that.
fn check_trust(about: &AgentFacts<'_>) -> Option<Finding> {
    let installer = about.agent.0.installer()?;
    let trust = installer.trust?;
    let (target, text) = about.hooks()?;
    let config = about.place.directory(installer).join("config.toml");
    let trust =
        trust(&real(target.path()).to_string_lossy(), &text, &small_text(&config).unwrap_or_default());
    let skipped = trust.changed + trust.untrusted + trust.disabled;
    let all = skipped + trust.trusted;
    let why = match (trust.changed, trust.disabled) {
        _ if skipped == 0 => return None,
        (0, 0) => "not trusted",
        (0, _) => "switched off or not trusted",
        _ => "changed since you trusted them",
    };
    Some(Finding::warn(
        about.name(),
        format!("{skipped} of {all} hooks are {why}: {} skips them without a word", about.agent.title()),
        installer.afterwards.unwrap_or("trust them in the agent"),
    ))
}
