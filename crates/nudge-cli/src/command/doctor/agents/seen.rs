//! When an agent's hooks last sent an event.

use std::collections::BTreeMap;
use std::time::Duration;

use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_memory::upkeep;

use super::about::AgentFacts;
use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::time;
use crate::registration::{Agent, Ledger};

/// A new installation without any event for this long gets a warning.
const NO_EVENT_WARNING_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The time of the last event from each agent.
pub(super) fn by_agent(home: &Home) -> BTreeMap<String, Timestamp> {
    let memory = upkeep::open_for_reading(home, now()).ok().flatten();
    let seen = memory.and_then(|memory| upkeep::last_seen(&memory).ok());
    seen.unwrap_or_default().into_iter().collect()
}

/// Whether the agent's hooks sent an event since they were installed.
pub(super) fn check(about: &AgentFacts<'_>, seen: &BTreeMap<String, Timestamp>) -> Finding {
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
pub(super) fn by_hand(agent: Agent, seen: &BTreeMap<String, Timestamp>) -> Option<Finding> {
    let seen = seen.get(agent.name())?;
    let last = time::long(*seen, now());
    Some(Finding::ok(agent.name(), format!("{}, set up by hand: last event {last}", agent.title())))
}
