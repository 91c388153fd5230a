//! The end of a turn and of the loop.

use nudge_core::run::{RunState, TurnState};

use super::work::STATUS_TOO_LARGE;
use super::work::Work;
use super::{Effect, FailureKind, Machine, Phase};
use crate::budget::{Ladder, Overflow, measure};
use crate::cycle::{fingerprint, is_cycle};
use crate::verdict::{TurnOutcome, TurnRecord, TurnVerdict};

impl Machine<'_> {
    /// Checks the ceiling again, now with the results of the turn, and rules on the turn.
    pub(super) fn measured(&mut self, estimate: u32, ceiling: u32) -> Vec<Effect> {
        let turn = self.turn();
        let mut effects = Vec::new();
        if let Some(overflow) = Overflow::of(measure(estimate, self.facts.previous), ceiling) {
            let body = overflow.message_after(turn);
            self.work.errors += 1;
            effects.push(Effect::DemoteTurn { turn });
            effects.push(Effect::WriteError { turn, slug: "overflow_after", status: STATUS_TOO_LARGE, body });
        }
        effects.extend(self.rule(TurnState::Ended));
        effects
    }

    /// An answer that broke off is an error of the turn; every other failure ends the loop.
    pub(super) fn model_failed(&mut self, kind: FailureKind, message: &str) -> Vec<Effect> {
        let (turn, status) = (self.turn(), kind.status());
        self.work.errors += 1;
        let mut effects =
            vec![Effect::WriteError { turn, slug: "model", status, body: format!("The model: {message}") }];
        if kind == FailureKind::Interrupted {
            effects.extend(self.rule(TurnState::Failed));
            return effects;
        }
        let word = if kind == FailureKind::ContextTooLong { "overflow" } else { "model" };
        let verdict = self.end(status, word, message);
        effects.extend(self.close(TurnState::Failed, verdict, String::new()));
        effects
    }

    /// The user rejected a proposal: that ends the loop.
    pub(super) fn declined(&mut self, index: usize) -> Vec<Effect> {
        self.work.is_broken = true;
        let updates = self.work.update_ends(true);
        let is_update = |at: &usize| updates.iter().any(|(update, _)| update == at);
        let skipped = self.work.open_from(index + 1).into_iter().filter(|at| !is_update(at));
        let mut effects: Vec<Effect> = skipped.map(|index| Effect::Skip { index }).collect();
        effects
            .extend(updates.iter().map(|(index, status)| Effect::Finish { index: *index, status: *status }));
        let verdict = self.end(200, "rejected", "the user rejected a proposal");
        effects.extend(self.close(TurnState::Ended, verdict, String::new()));
        effects
    }

    /// The user stops the loop, wherever it is.
    pub(super) fn abort(&mut self) -> Vec<Effect> {
        let verdict = self.end(499, "abort", "stopped by the user");
        let (from, state) = match self.phase {
            Phase::Idle | Phase::Assembling | Phase::Over => return self.end_loop(&verdict, String::new()),
            Phase::Sent => (0, TurnState::Failed),
            Phase::Recording => (0, TurnState::Ended),
            Phase::Dispatching(index) | Phase::Waiting(index) => (index, TurnState::Ended),
            Phase::Measuring => (self.work.next, TurnState::Ended),
        };
        let mut open = self.work.open_from(from);
        open.extend(self.work.updates().map(|(index, _)| index).filter(|index| *index < from));
        open.sort_unstable();
        let mut effects: Vec<Effect> = open.into_iter().map(|index| Effect::Skip { index }).collect();
        effects.extend(self.close(state, verdict, String::new()));
        effects
    }

    /// Asks the verdicts, settles the updates, and ends the turn.
    fn rule(&mut self, state: TurnState) -> Vec<Effect> {
        let mut turns = self.facts.fingerprints.clone();
        turns.push(self.fingerprint());
        let limits = self.facts.limits;
        let record = TurnRecord {
            mode: self.facts.mode,
            was_answered: state == TurnState::Ended,
            has_calls: self.work.has_calls(),
            text: self.work.text.clone(),
            update: self.work.last_update(),
            failed: self.work.is_broken,
            is_to_blame: self.work.is_to_blame,
            has_losses: self.work.has_losses,
            errors: self.work.errors,
            is_cycle: is_cycle(&turns, limits.min_cycles, limits.max_cycle_period),
            turn_in_loop: self.facts.turns_done.saturating_add(1),
            strikes_before: self.facts.strikes,
        };
        let TurnOutcome { verdict, update_is_refuted, complaint, answer } = self.verdicts.rule(record);
        let updates = self.work.update_ends(update_is_refuted);
        let finish = |(index, status)| Effect::Finish { index, status };
        let mut effects: Vec<Effect> = updates.into_iter().map(finish).collect();
        if let Some(complaint) = complaint {
            self.work.errors += 1;
            effects.push(Effect::WriteError {
                turn: self.turn(),
                slug: complaint.slug,
                status: complaint.status,
                body: complaint.body.to_owned(),
            });
        }
        effects.extend(self.close(state, verdict, answer));
        effects
    }

    /// Ends the turn, then the loop or begins the next turn.
    fn close(&mut self, state: TurnState, verdict: TurnVerdict, answer: String) -> Vec<Effect> {
        let fingerprint = self.fingerprint();
        let mut effects = vec![Effect::EndTurn {
            turn: self.turn(),
            state,
            verdict: verdict.clone(),
            fingerprint,
            errors: self.work.errors,
        }];
        self.facts.fingerprints.push(fingerprint);
        self.facts.strikes = verdict.strikes;
        self.facts.turns_done = self.facts.turns_done.saturating_add(1);
        self.ladder = Ladder::default();
        self.work = Work::default();
        effects.extend(if verdict.goes_on { self.assemble() } else { self.end_loop(&verdict, answer) });
        effects
    }

    fn end_loop(&mut self, verdict: &TurnVerdict, answer: String) -> Vec<Effect> {
        self.phase = Phase::Over;
        let status = verdict.status;
        let word = verdict.outcome;
        let (state, outcome) = match status {
            200 => (RunState::Completed, word.map(str::to_owned)),
            204 | 422 => (RunState::Completed, Some(status.to_string())),
            499 => (RunState::Aborted, Some(word.unwrap_or("abort").to_owned())),
            _ => (RunState::Failed, Some(format!("{}:{status}", word.unwrap_or("verdict")))),
        };
        vec![Effect::EndLoop { state, outcome, status, answer, reason: verdict.reason.clone() }]
    }

    /// The verdict of an end that no subscriber is asked about.
    fn end(&self, status: u16, outcome: &'static str, reason: &str) -> TurnVerdict {
        let strikes = self.facts.strikes;
        TurnVerdict { goes_on: false, status, reason: reason.to_owned(), outcome: Some(outcome), strikes }
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(self.work.calls.iter().map(|each| &each.call))
    }
}
