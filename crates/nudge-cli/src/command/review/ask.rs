//! Asks one question for each proposal; one key answers it.

use nudge_core::Fault;
use nudge_memory::review::{DecisionAnswer, ProposalView};
use serde_json::Value;

use super::key::{self, Answer};
use super::{accept, drop_one, page};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

/// Asks about each proposal. Skipped ones stay open.
pub(super) fn each(invocation: &Invocation, proposals: &[ProposalView]) -> Result<Exit, Failure> {
    for (place, proposal) in proposals.iter().enumerate() {
        let ask = |show: fn(&mut Page, &ProposalView)| {
            let mut is_cut = false;
            invocation.output.answer(&Value::Null, |page| {
                is_cut = page::is_cut(proposal, page.columns());
                show(page, proposal);
                page::question(page, proposal, place + 1, proposals.len());
            });
            key::answer().map(|answer| (answer, is_cut)).map_err(key_read_failed)
        };
        let (mut answer, is_cut) = ask(page::one)?;
        if answer == Answer::Accept && is_cut {
            say(invocation, "a part of it was not shown; this is all of it:");
            answer = ask(page::in_full)?.0;
        }
        let decided = match answer {
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
