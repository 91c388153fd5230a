//! Manual steps for agents that Nudge cannot set up.

use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::registration::{Agent, InstallContext};

/// Prints the steps.
pub(super) fn run(invocation: &Invocation, agents: &[Agent]) -> Result<Exit, Failure> {
    let place = InstallContext::find(invocation.home()?)?;
    let listed: Vec<_> = agents
        .iter()
        .map(|agent| json!({"agent": agent.name(), "steps": steps_of(*agent, &place)}))
        .collect();
    let answer = json!({"changed": false, "by_hand": listed});
    invocation.output.answer(&answer, |page| steps(page, agents, &place));
    Ok(Exit::Ok)
}

/// The steps for each of these agents.
pub(super) fn steps(page: &mut Page, agents: &[Agent], place: &InstallContext) {
    for agent in agents {
        page.text(format!("Nudge cannot change the settings of {} by itself yet. By hand:", agent.title()))
            .end();
        for (number, step) in steps_of(*agent, place).iter().enumerate() {
            page.end().text(format!("{}. ", number + 1));
            let mut lines = step.lines();
            page.text(lines.next().unwrap_or_default()).end();
            for line in lines {
                page.text("   ").text(line).end();
            }
        }
    }
}

fn steps_of(agent: Agent, place: &InstallContext) -> Vec<String> {
    agent.0.by_hand().iter().map(|step| step.replace("{nudge}", &place.program)).collect()
}
