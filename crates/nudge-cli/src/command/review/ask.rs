//! One question for each proposal, one key for each answer.

use nudge_core::Fault;
use nudge_memory::review::{DecisionAnswer, ProposalView};
use serde_json::Value;

use super::key::{self, Answer};
use super::{accept, drop_one, page};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// Asks about each. What is skipped goes on waiting.
pub(super) fn each(invocation: &Invocation, proposals: &[ProposalView]) -> Result<Exit, Failure> {
    for (place, proposal) in proposals.iter().enumerate() {
        invocation.output.answer(&Value::Null, |page| {
            page::one(page, proposal);
            page::question(page, proposal, place + 1, proposals.len());
        });
        let decided = match key::answer().map_err(unread)? {
            Answer::Accept => accept(invocation, proposal.id, None),
            Answer::Edit if proposal.text.is_none() => {
                say(invocation, "only a statement takes other words; skipped");
                continue;
            }
            Answer::Edit => match key::line("in your words: ").map_err(unread)? {
                Some(text) => accept(invocation, proposal.id, Some(text)),
                None => continue,
            },
            Answer::Drop => drop_one(invocation, proposal.id),
            Answer::Skip => continue,
            Answer::Quit => break,
        };
        match decided {
            Ok(answer) => {
                let typed: DecisionAnswer = invocation.typed(&answer)?;
                invocation.output.answer(&answer, |page| page::decided(page, &typed));
            }
            // One that cannot be decided does not keep the others waiting.
            Err(fault) => say(invocation, &fault.message),
        }
    }
    Ok(Exit::Ok)
}

fn say(invocation: &Invocation, what: &str) {
    invocation.output.answer(&Value::Null, |page| {
        page.warning("note:").text(" ").line(what).end();
    });
}

fn unread(error: std::io::Error) -> Failure {
    let why = format!("the terminal cannot be read: {error}");
    Fault::invalid("terminal", why).next("use `nudge review accept ID` and `nudge review drop ID`").into()
}
