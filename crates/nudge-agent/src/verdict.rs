//! The verdict at the end of a turn: whether the loop goes on, and with which status.
//!
//! Subscribers decide one after another, in the order of their priorities:
//!
//! 1. `update` reads what the model said: an end, a continuation, or nothing that can be read;
//! 2. `cycle` counts a turn that repeats, without a word to the model: a model that reads that it
//!    repeats itself varies an attribute and repeats itself;
//! 3. `strikes` counts turns with errors in a row, and gives up at the limit;
//! 4. `cap` ends a loop that has had all its turns.
//!
//! A turn that ends the loop by its own update is not stopped by the others: the work is done.

use nudge_context::Filters;
use nudge_core::run::Mode;

use crate::budget::Limits;

pub(crate) use crate::tools::is_terminal;

/// What an update said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateSeen {
    /// Its status.
    pub status: u16,
    /// Its text.
    pub body: String,
}

/// What happened in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRecord {
    /// The mode of the loop.
    pub mode: Mode,
    /// Whether the model answered in full. If not, nothing is said about its answer.
    pub was_answered: bool,
    /// Whether there were calls other than notes and updates.
    pub has_calls: bool,
    /// The text outside of tags.
    pub text: String,
    /// The last update.
    pub update: Option<UpdateSeen>,
    /// Whether a call failed or was rejected: an end is then not believed.
    pub failed: bool,
    /// Whether the model is to blame for that: a command that ended with an error is no strike.
    pub is_to_blame: bool,
    /// Whether something of the answer was lost: an end is then not believed either.
    pub has_losses: bool,
    /// How many errors the turn has besides failed calls.
    pub errors: u32,
    /// Whether the turn repeats earlier ones.
    pub is_cycle: bool,
    /// Which turn of the loop it is, from 1.
    pub turn_in_loop: u32,
    /// The turns with errors just before it.
    pub strikes_before: u32,
}

/// The ruling of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnVerdict {
    /// Whether another turn follows.
    pub goes_on: bool,
    /// 102 while it goes on; else the status of the end.
    pub status: u16,
    /// Why, for people.
    pub reason: String,
    /// The outcome of a loop that did not end by itself, in one word.
    pub outcome: Option<&'static str>,
    /// The turns with errors in a row, with this one.
    pub strikes: u32,
}

/// An error that the model reads on its next turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The last part of its path.
    pub slug: &'static str,
    /// Its status.
    pub status: u16,
    /// Its text.
    pub body: &'static str,
}

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnOutcome {
    /// The ruling.
    pub verdict: TurnVerdict,
    /// Whether an end was not believed: the record of the update gets 409.
    pub update_is_refuted: bool,
    /// What was wrong with the answer as a whole. It is one of the turn's errors.
    pub complaint: Option<Complaint>,
    /// The answer, when the turn ends the loop.
    pub answer: String,
}

/// What the subscribers pass on: what happened, and what it has come to so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// What happened.
    pub record: TurnRecord,
    /// What it has come to.
    pub outcome: TurnOutcome,
}

/// The chain of subscribers that rules on turns.
#[derive(Debug)]
pub struct VerdictChain<'f> {
    chain: Filters<'f, Ruling>,
}

impl<'f> VerdictChain<'f> {
    /// The subscribers of every loop.
    pub fn new(limits: Limits) -> Self {
        let mut chain = Filters::new();
        add_complaints(&mut chain, limits);
        Self { chain }
    }

    /// Adds a subscriber. A lower priority runs first; those of every loop have 10 to 40.
    #[must_use]
    pub fn with(
        mut self,
        priority: u16,
        name: &'static str,
        filter: impl Fn(Ruling) -> Ruling + Send + Sync + 'f,
    ) -> Self {
        self.chain.add(priority, name, filter);
        self
    }

    /// Priority and name of each subscriber, in the order in which they run.
    pub fn order(&self) -> impl Iterator<Item = (u16, &'static str)> {
        self.chain.order()
    }

    /// Rules on a turn.
    pub fn rule(&self, record: TurnRecord) -> TurnOutcome {
        let verdict = TurnVerdict {
            goes_on: true,
            status: 102,
            reason: "the work goes on".to_owned(),
            outcome: None,
            strikes: record.strikes_before,
        };
        let outcome =
            TurnOutcome { verdict, update_is_refuted: false, complaint: None, answer: String::new() };
        self.chain.apply(Ruling { record, outcome }).outcome
    }
}

// The subscribers of every loop.

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
fn add_complaints(chain: &mut Filters<'_, Ruling>, limits: Limits) {
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

fn end(verdict: &mut TurnVerdict, status: u16, reason: &str) {
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
    let has_errors =
        record.is_to_blame || record.has_losses || record.errors > 0 || outcome.complaint.is_some();
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

#[cfg(test)]
mod tests;
