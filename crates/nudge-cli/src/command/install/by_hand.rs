//! The steps for an agent that Nudge cannot be put into by itself.

use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::registration::{Agent, Place};

/// Prints the steps.
pub(super) fn run(invocation: &Invocation, agent: Agent) -> Result<Exit, Failure> {
    let place = Place::find(invocation.home()?)?;
    let steps: Vec<String> =
        agent.0.by_hand().iter().map(|step| step.replace("{nudge}", &place.program)).collect();
    let answer = json!({"agent": agent.name(), "changed": false, "by_hand": steps});
    invocation.output.answer(&answer, |page| {
        page.text(format!("Nudge cannot change the settings of {} by itself yet. By hand:", agent.title()))
            .end();
        for (number, step) in steps.iter().enumerate() {
            page.end().text(format!("{}. ", number + 1));
            let mut lines = step.lines();
            page.text(lines.next().unwrap_or_default()).end();
            for line in lines {
                page.text("   ").text(line).end();
            }
        }
    });
    Ok(Exit::Ok)
}
