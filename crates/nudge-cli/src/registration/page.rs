//! The plan and result of an installation as text.

use serde::Serialize;
use serde_json::{Value, json};

use super::agent::Agent;
use super::detect::Detected;
use super::diff;
use super::place::InstallContext;
use super::plan::{Edit, Plan};
use crate::pages::Page;

/// What happens to a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    /// It did not exist.
    Created,
    /// Our entries are added or removed; the rest stays.
    Changed,
    /// It is the same as before Nudge, byte for byte.
    Restored,
    /// It had only our entries and is deleted.
    Removed,
    /// There is nothing to do.
    Unchanged,
}

impl Action {
    const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Restored => "restored",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
        }
    }

    const fn imperative(self) -> &'static str {
        match self {
            Self::Created => "create",
            Self::Changed => "change",
            Self::Restored => "restore",
            Self::Removed => "remove",
            Self::Unchanged => "keep",
        }
    }
}

/// The agents of a run, and what was found on this machine.
pub(crate) type Found = Vec<(Agent, Detected)>;

/// The plan as JSON.
pub(crate) fn to_json(plan: &Plan, place: &InstallContext, found: &Found, done: bool) -> Value {
    let files: Vec<Value> = plan.edits.iter().map(|edit| file(edit, place)).collect();
    let agents: Vec<Value> = found.iter().map(|(agent, detected)| about(*agent, detected)).collect();
    json!({
        "agents": agents,
        "changed": done && !plan.is_empty(),
        "dry_run": !done,
        "program": place.program,
        "home": place.passed_home(),
        "files": files,
    })
}

fn about(agent: Agent, detected: &Detected) -> Value {
    json!({
        "name": agent.name(),
        "title": agent.title(),
        "program": detected.program,
        "version": detected.version,
        "directory": detected.directory,
        "other_profiles": detected.other_profiles,
    })
}

fn file(edit: &Edit, place: &InstallContext) -> Value {
    let mut row = json!({
        "agent": edit.target.agent().map(Agent::name),
        "path": edit.file.path(),
        "action": edit.action,
        "what": edit.what(),
    });
    if let Ok(entries) = edit.target.entries(place) {
        row["entries"] = entries;
    }
    row
}

/// Every change, line by line. Long ones are folded when the user is asked.
pub(crate) fn differences(page: &mut Page, plan: &Plan, is_folded: bool) {
    for edit in plan.changes() {
        page.strong(edit.file.path().to_string_lossy()).end();
        let (before, after) =
            (edit.file.text().unwrap_or_default(), edit.after.as_deref().unwrap_or_default());
        diff::show(page, before, after, is_folded);
        page.end();
    }
}

/// The planned changes, agent by agent.
pub(crate) fn planned(page: &mut Page, plan: &Plan, found: &Found) {
    summary(page, plan, found, Action::imperative);
}

/// The completed changes, agent by agent.
pub(crate) fn done(page: &mut Page, plan: &Plan, found: &Found) {
    summary(page, plan, found, Action::word);
}

fn summary(page: &mut Page, plan: &Plan, found: &Found, word: fn(Action) -> &'static str) {
    for (agent, detected) in found {
        page.strong(agent.title()).text("  ").faint(detected.words()).end();
        list(page, plan.of_agent(*agent), word);
        let variable = agent.0.installer().and_then(|installer| installer.directory.variable);
        for profile in &detected.other_profiles {
            let variable = variable.map_or("", |(variable, _)| variable);
            page.text("  ").warning("not changed").text(format!(
                ": another profile, {}; run `{variable}={} nudge install {}` for it",
                profile.display(),
                profile.display(),
                agent.name()
            ));
            page.end();
        }
    }
    let mut own = plan.edits.iter().filter(|edit| edit.target.agent().is_none()).peekable();
    if own.peek().is_some() {
        page.strong("Nudge").end();
        list(page, own, word);
    }
}

fn list<'a>(page: &mut Page, edits: impl Iterator<Item = &'a Edit>, word: fn(Action) -> &'static str) {
    for edit in edits {
        page.text("  ")
            .text(format!("{:<9}", word(edit.action)))
            .text(" ")
            .text(edit.file.path().to_string_lossy());
        page.text("  ").faint(edit.what()).end();
    }
}
