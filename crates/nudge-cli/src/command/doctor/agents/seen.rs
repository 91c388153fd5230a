//! When an agent's hooks were last seen.

use std::collections::BTreeMap;
use std::time::Duration;

use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_memory::upkeep;

use super::about::About;
use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::recall::age;
use crate::registration::{Agent, Ledger};

/// How long a new installation may go without an event before that is worth a word.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// When each agent was last heard of.
pub(super) fn by_agent(home: &Home) -> BTreeMap<String, Timestamp> {
    let memory = upkeep::look(home, now()).ok().flatten();
    let seen = memory.and_then(|memory| upkeep::last_seen(&memory).ok());
    seen.unwrap_or_default().into_iter().collect()
}

/// Whether the hooks of an agent were seen since they were installed.
pub(super) fn check(about: &About<'_>, seen: &BTreeMap<String, Timestamp>) -> Finding {
    let installed = Ledger::read(&about.place.home).ok().and_then(|ledger| ledger.installed_at(about.agent));
    let seen = seen.get(about.agent.name()).copied();
    let said = |at: Timestamp| age(at.as_millis() / 1000, now());
    match (seen, installed) {
        (Some(seen), installed) if installed.is_none_or(|installed| seen >= installed) => {
            Finding::ok(about.name(), format!("last event {}", said(seen)))
        }
        (_, Some(installed)) if now().since(installed) > PATIENCE => Finding::warn(
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

/// When an agent that was set up by hand was last heard of, if it was.
pub(super) fn by_hand(agent: Agent, seen: &BTreeMap<String, Timestamp>) -> Option<Finding> {
    let seen = seen.get(agent.name())?;
    let last = age(seen.as_millis() / 1000, now());
    Some(Finding::ok(agent.name(), format!("{}, set up by hand: last event {last}", agent.title())))
}
