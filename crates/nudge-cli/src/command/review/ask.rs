//! Asks one question for each proposal; one key answers it.

use nudge_core::Fault;
use nudge_memory::review::{DecisionAnswer, ProposalView};
use serde_json::Value;

use super::key::{self, Answer};
use super::{accept, drop_one, page};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// Asks about each proposal. Skipped ones stay open.
pub(super) fn each(invocation: &Invocation, proposals: &[ProposalView]) -> Result<Exit, Failure> {
    for (place, proposal) in proposals.iter().enumerate() {
        invocation.output.answer(&Value::Null, |page| {
            page::one(page, proposal);
            page::question(page, proposal, place + 1, proposals.len());
        });
        let decided = match key::answer().map_err(key_read_failed)? {
            Answer::Accept => accept(invocation, proposal.id, None),
            Answer::Edit if proposal.text.is_none() => {
                say(invocation, "only statements can be reworded; skipped");
                continue;
            }
            Answer::Edit => match key::line("in your words: ").map_err(key_read_failed)? {
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
            // A proposal that cannot be decided does not block the others.
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

fn key_read_failed(error: std::io::Error) -> Failure {
    let why = format!("cannot read the terminal: {error}");
    Fault::invalid("terminal", why).next("use `nudge review accept ID` and `nudge review drop ID`").into()
}
