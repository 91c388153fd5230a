//! The subscribers of every loop.

use nudge_context::Filters;
use nudge_core::run::Mode;

use super::{Complaint, Ruling, Verdict, is_terminal};
use crate::limits::Limits;

const NO_UPDATE: Complaint = Complaint {
    slug: "no_update",
    status: 422,
    body: "The reply had no update. End every reply with one: status 102 and the next step, or status 200 and the \
           whole answer.",
};

const NO_TAGS: Complaint = Complaint {
    slug: "no_tags",
    status: 422,
    body: "The reply had text but no tags, so nothing was done. Use the tools, and end with one update.",
};

/// What the body of an entry begins with in a packet. No answer has a reason to.
const BODY_MARKER: &str = "<<:::";

const ECHO: Complaint = Complaint {
    slug: "echo",
    status: 422,
    body: "The reply repeats what was sent. Use the tools, and end with one update.",
};

const EMPTY: Complaint = Complaint {
    slug: "empty",
    status: 422,
    body: "The reply was empty. Use the tools, and end with one update.",
};

/// Adds the subscribers.
pub(super) fn add(chain: &mut Filters<'_, Ruling>, limits: Limits) {
    chain.add(10, "update", update);
    chain.add(20, "cycle", cycle);
    chain.add(30, "strikes", move |ruling| strikes(ruling, limits));
    chain.add(40, "cap", move |ruling| cap(ruling, limits));
}

/// Reads what the model said.
fn update(mut ruling: Ruling) -> Ruling {
    let record = &ruling.record;
    if !record.was_answered {
        return ruling;
    }
    let text = record.text.trim();
    match &record.update {
        Some(update) if is_terminal(update.status) && (record.failed || record.has_losses) => {
            ruling.outcome.update_is_refuted = true;
            "the end was not believed, because a call of the same turn failed or was lost"
                .clone_into(&mut ruling.outcome.verdict.reason);
        }
        Some(update) if is_terminal(update.status) => {
            let body = update.body.trim();
            let answer = if body.is_empty() { text } else { body };
            end(&mut ruling.outcome.verdict, update.status, "the model ended the loop");
            ruling.outcome.answer = answer.to_owned();
        }
        Some(_) => {}
        // The update may be among what was lost.
        None if record.has_losses => {}
        None if record.has_calls => ruling.outcome.complaint = Some(NO_UPDATE),
        None if record.failed || record.errors > 0 => {}
        None if text.is_empty() => ruling.outcome.complaint = Some(EMPTY),
        None if text.contains(BODY_MARKER) => ruling.outcome.complaint = Some(ECHO),
        None if record.mode == Mode::Ask => {
            end(&mut ruling.outcome.verdict, 200, "plain text without a call is the answer");
            ruling.outcome.answer = text.to_owned();
        }
        None => ruling.outcome.complaint = Some(NO_TAGS),
    }
    ruling
}

fn end(verdict: &mut Verdict, status: u16, reason: &str) {
    verdict.goes_on = false;
    verdict.status = status;
    reason.clone_into(&mut verdict.reason);
}

/// Says for people that the turns repeat. The model reads nothing of it.
fn cycle(mut ruling: Ruling) -> Ruling {
    if ruling.record.is_cycle && ruling.outcome.verdict.goes_on {
        "the turns repeat".clone_into(&mut ruling.outcome.verdict.reason);
    }
    ruling
}

/// Counts turns with errors in a row. A clean turn begins anew.
fn strikes(mut ruling: Ruling, limits: Limits) -> Ruling {
    let Ruling { record, outcome } = &mut ruling;
    let has_errors = record.failed || record.has_losses || record.errors > 0 || outcome.complaint.is_some();
    let is_strike = has_errors || (record.is_cycle && outcome.verdict.goes_on);
    let verdict = &mut outcome.verdict;
    verdict.strikes = if is_strike { record.strikes_before.saturating_add(1) } else { 0 };
    if verdict.goes_on && is_strike && verdict.strikes >= limits.max_strikes {
        let why = if record.is_cycle { "turns with errors or repetitions" } else { "turns with errors" };
        let reason = format!("gave up after {} {why}", verdict.strikes);
        end(verdict, 499, &reason);
        verdict.outcome = Some("strikes");
    }
    ruling
}

/// Ends a loop that has had all its turns.
fn cap(mut ruling: Ruling, limits: Limits) -> Ruling {
    let verdict = &mut ruling.outcome.verdict;
    if verdict.goes_on && ruling.record.turn_in_loop >= limits.max_turns {
        end(verdict, 499, &format!("turn limit: {} turns", limits.max_turns));
        verdict.outcome = Some("turns");
    }
    ruling
}
