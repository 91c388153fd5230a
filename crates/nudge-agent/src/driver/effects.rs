//! Carries out the effects of the machine, in memory.

use crate::runs::{LoopWork, RunCall};
use nudge_context::{PacketFacts, packet};
use nudge_core::view::{EntryState, Visibility};
use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_grammar::{Call, Tool};
use nudge_memory::Memory;
use nudge_store::TurnEnd;

use super::{CallDone, Driver, ModelTurn, Need, Step};
use crate::gbnf::grammar;
use crate::machine::{Effect, Event, TOO_LARGE};
use crate::policy::Recorded;
use crate::prompts::REMINDERS;
use crate::verdict::is_terminal;

/// What a call says that was not carried out.
const SKIPPED: &str = "Not carried out, because an earlier call of this turn failed.";

/// What an update says that is not believed.
const NOT_DONE: &str = "Not accepted: a call of this turn failed, so the work is not done.";

/// What an update says that goes on, in a turn that did nothing else.
const NOTHING_COMES: &str =
    "No tool was called, so nothing new comes. If this was the answer, send it with status 200.";

impl Driver {
    /// Hands an event to the machine, and does what it asks for. The last effect says what follows.
    pub(super) fn carry_out(&mut self, memory: &Memory, event: Event, now: Timestamp) -> Result<Step, Fault> {
        let mut step = Step::Need(Need::Nothing);
        for effect in self.machine.handle(event) {
            if let Some(next) = self.effect(memory, effect, now)? {
                step = next;
            }
        }
        Ok(step)
    }

    fn effect(&mut self, memory: &Memory, effect: Effect, now: Timestamp) -> Result<Option<Step>, Fault> {
        let work = &self.work;
        match effect {
            Effect::Assemble { .. } => {
                let (estimate, ceiling) = self.assemble(memory)?;
                return Ok(Some(Step::Report(Event::Assembled { estimate, ceiling })));
            }
            Effect::Measure => {
                let (estimate, ceiling) = self.assemble(memory)?;
                return Ok(Some(Step::Report(Event::Measured { estimate, ceiling })));
            }
            Effect::Send { .. } => return self.send(memory, now).map(|need| Some(Step::Need(need))),
            Effect::Record { calls, healed, .. } => {
                return self.record(memory, calls, healed, now).map(|event| Some(Step::Report(event)));
            }
            Effect::Dispatch { index } => {
                return self.dispatch(memory, index, now).map(|event| Some(Step::Report(event)));
            }
            Effect::AwaitUser { index } => {
                self.waiting = Some(index);
                let path = self.call(index)?.path.clone();
                return Ok(Some(Step::Need(Need::User { path })));
            }
            Effect::DemoteTurn { turn } => {
                let changed = work.demote_turn(memory, turn, now)?;
                self.found_nothing = changed == 0;
            }
            Effect::DemotePrompt => work.demote_prompt(memory, now)?,
            Effect::WriteError { turn, slug, status, body } => {
                work.error(memory, turn, slug, (status, &body), Visibility::Visible, now)?;
            }
            Effect::WriteOverflow { slug: "overflow_previous_turn", .. } if self.found_nothing => {}
            Effect::WriteOverflow { turn, slug, body, is_shown } => {
                let visibility = if is_shown { Visibility::Visible } else { Visibility::Archived };
                work.error(memory, turn, slug, (TOO_LARGE, &body), visibility, now)?;
            }
            Effect::Skip { index } => {
                let state = (EntryState::Cancelled, Some("aborted"));
                work.finish(memory, self.turn(), self.call(index)?, state, SKIPPED, now)?;
            }
            Effect::Finish { index, status } => self.finish(memory, index, status, now)?,
            Effect::EndTurn { turn, state, verdict, fingerprint, errors } => {
                if let Some(sent) = self.sent.take().filter(|sent| sent.seq == turn) {
                    let fingerprint = fingerprint.to_string();
                    let end = TurnEnd { state, errors, strikes: verdict.strikes, fingerprint };
                    work.end_turn(memory, sent.id, &end, now)?;
                    self.events.turn_ended.emit(&turn);
                }
            }
            Effect::EndLoop { state, outcome, answer, reason, .. } => {
                work.end_loop(memory, state, outcome.as_deref(), &answer, &reason, now)?;
                return Ok(Some(Step::Need(Need::Nothing)));
            }
        }
        Ok(None)
    }

    /// Assembles the packet; returns its estimate and its ceiling.
    fn assemble(&mut self, memory: &Memory) -> Result<(u32, u32), Fault> {
        let (entries, prompt) = self.work.entries(memory)?;
        let packet = packet(&PacketFacts {
            prompt: prompt.as_ref(),
            entries: &entries,
            system: &self.system,
            instructions: REMINDERS,
            context_size: self.model.context,
            ceiling_percent: self.limits.ceiling_percent,
        });
        let tokens = packet.tokens;
        self.packet = Some((packet, entries));
        Ok((tokens.usage, tokens.ceiling))
    }

    fn send(&mut self, memory: &Memory, now: Timestamp) -> Result<Need, Fault> {
        let Some((packet, entries)) = self.packet.take() else { return Err(lost("no packet")) };
        let sent = self.work.send(memory, &packet, &entries, now)?;
        let run = &self.work.run;
        let turn = ModelTurn {
            id: format!("nudge-{}-{}-{}", run.created_at.as_millis(), run.id.0, sent.seq),
            turn: sent.clone(),
            system: packet.system,
            user: packet.user,
            temperature: run.temperature,
            grammar: self.model.constrained.then(|| grammar(&self.tools)),
        };
        self.sent = Some(sent);
        Ok(Need::Model(Box::new(turn)))
    }

    fn record(
        &mut self,
        memory: &Memory,
        calls: Vec<Recorded>,
        healed: Vec<String>,
        now: Timestamp,
    ) -> Result<Event, Fault> {
        let Some(sent) = self.sent.clone() else { return Err(lost("no turn")) };
        self.calls = calls.into_iter().map(run_call).collect();
        let answer = self.answer.take().map(|answer| crate::runs::Answer { healed, ..answer });
        let done = self.work.record(memory, &sent, answer.as_ref(), &self.calls, now)?;
        Ok(Event::Recorded { done })
    }

    fn dispatch(&mut self, memory: &Memory, index: usize, now: Timestamp) -> Result<Event, Fault> {
        let Some(sent) = self.sent.clone() else { return Err(lost("no turn")) };
        let call = self.call(index)?;
        match self.work.dispatch(memory, &sent, call, now) {
            Ok(done) => {
                let status = done.status;
                self.events.proposal_prepare.emit(&CallDone { path: call.path.clone(), status });
                Ok(Event::Dispatched { index, status, waits_for_user: done.waits })
            }
            Err(fault) if LoopWork::is_aborted(&fault) => Err(fault),
            Err(fault) => Ok(Event::Crashed { index, message: fault.message }),
        }
    }

    fn finish(&self, memory: &Memory, index: usize, status: u16, now: Timestamp) -> Result<(), Fault> {
        let call = self.call(index)?;
        let said = call.call.body.clone().unwrap_or_else(|| call.call.target.clone());
        let (state, body) = match status {
            200 if self.is_idle(call) => ((EntryState::Resolved, None), format!("{said}\n{NOTHING_COMES}")),
            200 => ((EntryState::Resolved, None), said),
            409 => ((EntryState::Failed, Some("conflict")), format!("{said}\n{NOT_DONE}")),
            _ => ((EntryState::Failed, Some("error:500")), "It failed inside Nudge.".to_owned()),
        };
        self.work.finish(memory, self.turn(), call, state, &body, now)
    }

    /// Whether this update goes on, and is all that the model said.
    fn is_idle(&self, call: &RunCall) -> bool {
        let Call { tool, status, .. } = &call.call;
        self.calls.len() == 1 && *tool == Tool::Update && !is_terminal(status.unwrap_or(102))
    }

    /// The turn that the calls belong to. The machine may be one ahead.
    fn turn(&self) -> u32 {
        self.sent.as_ref().map_or_else(|| self.machine.turn(), |sent| sent.seq)
    }

    fn call(&self, index: usize) -> Result<&RunCall, Fault> {
        self.calls.get(index).ok_or_else(|| lost("no call"))
    }
}

fn run_call(recorded: Recorded) -> RunCall {
    RunCall {
        call: recorded.call,
        path: recorded.path,
        rejection: recorded.rejection.map(|rejection| (rejection.outcome, rejection.why)),
    }
}

fn lost(what: &str) -> Fault {
    Fault::new(FaultKind::Internal, "driver", format!("the run lost its place: {what}"))
        .next("run `nudge run resume`")
}
