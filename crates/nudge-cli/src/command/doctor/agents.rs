//! Whether the agents of this person tell us anything at all.

use nudge_home::Home;

use crate::command::doctor::finding::Finding;
use crate::registration::{Agent, Place, Record, SettingsFile, Target};

const NAME: &str = "agents";

/// Whether the agents that Nudge can be put into call our hooks. Agents that are registered by hand
/// are not looked for.
pub(super) fn registered(home: &Home) -> Vec<Finding> {
    let Ok(place) = Place::find(home.clone()) else { return vec![Finding::ok(NAME, "not looked for")] };
    Agent::all().map(|agent| of_agent(agent, home, &place)).collect()
}

fn of_agent(agent: Agent, home: &Home, place: &Place) -> Finding {
    let missing: Vec<Target> = Target::all(place, agent)
        .into_iter()
        .filter(|target| target.is_hooks() && !has(target, place))
        .collect();
    let title = agent.title();
    let was = Record::read(home, agent).ok().flatten().is_some();
    match (missing.first(), was) {
        (None, _) => Finding::ok(NAME, format!("registered with {title}")),
        (Some(target), true) => Finding::warn(
            NAME,
            format!("{} no longer has {}: {title} tells us nothing", target.path().display(), target.what()),
            format!("run `nudge install {}` again", agent.name()),
        ),
        (Some(_), false) => Finding::ok(
            NAME,
            format!("not registered with {title}; `nudge install {}` does it", agent.name()),
        ),
    }
}

fn has(target: &Target, place: &Place) -> bool {
    let Ok(file) = SettingsFile::read(target.path()) else { return false };
    file.text().is_some_and(|text| target.with(Some(text), place).is_ok_and(|wanted| wanted == text))
}
