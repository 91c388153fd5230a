//! One loop as a state machine: what happened goes in, what is to be done comes out.
//!
//! The machine holds no store, no model and no clock. A driver carries out each [`Effect`] in order
//! and reports the next [`Event`]. An event that does not fit the phase changes nothing: a late
//! answer after an abort is no answer.
//!
//! A driver that starts again after a crash makes a machine from what is stored. If the last turn
//! was not answered, it counts as done and the loop goes on with `Begin`. If it was answered, the
//! stored answer comes first, as `Answered` instead of `Begin`, and `Recorded` says which calls
//! were carried out already. Errors and records then come again under the same paths.

mod answer;
mod dispatch;
mod effect;
mod ending;
mod event;
mod packet;
mod work;

pub use effect::Effect;
pub use event::{Event, FailureKind};
pub(crate) use packet::TOO_LARGE;

use nudge_core::run::Mode;

use self::work::Work;
use crate::budget::Ladder;
use crate::limits::Limits;
use crate::policy::Policy;
use crate::tools::Flags;
use crate::verdict::Verdicts;

/// What a loop begins from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopFacts {
    /// The mode.
    pub mode: Mode,
    /// What the caller rules out.
    pub flags: Flags,
    /// The limits.
    pub limits: Limits,
    /// The number of the loop's first turn within its run.
    pub first_turn: u32,
    /// How many turns of the loop are over.
    pub turns_done: u32,
    /// The turns with errors in a row, at the end of those.
    pub strikes: u32,
    /// The fingerprints of the loop's turns, the oldest first.
    pub fingerprints: Vec<u64>,
    /// The previous packet: its estimate, and what the model counted for it.
    pub previous: Option<(u32, u32)>,
}

/// Which event the machine waits for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Assembling,
    Sent,
    Recording,
    Dispatching(usize),
    Waiting(usize),
    Measuring,
    Over,
}

/// A loop.
#[derive(Debug)]
pub struct Machine<'f> {
    facts: LoopFacts,
    policy: Policy<'f>,
    verdicts: Verdicts<'f>,
    phase: Phase,
    ladder: Ladder,
    /// What the ladder did in this turn, not written yet: the last part of a path, and a text.
    steps: Vec<(&'static str, String)>,
    /// The estimate of the packet that was sent last.
    estimate: Option<u32>,
    work: Work,
}

impl<'f> Machine<'f> {
    /// A loop with the policy and the verdicts of every loop.
    pub fn new(facts: LoopFacts) -> Self {
        let policy = Policy::new(facts.mode, facts.flags, facts.limits);
        let verdicts = Verdicts::new(facts.limits);
        Self {
            facts,
            policy,
            verdicts,
            phase: Phase::Idle,
            ladder: Ladder::default(),
            steps: Vec::new(),
            estimate: None,
            work: Work::default(),
        }
    }

    /// The same loop with this policy.
    #[must_use]
    pub fn with_policy(self, policy: Policy<'f>) -> Self {
        Self { policy, ..self }
    }

    /// The same loop with these verdicts.
    #[must_use]
    pub fn with_verdicts(self, verdicts: Verdicts<'f>) -> Self {
        Self { verdicts, ..self }
    }

    /// The number of the current turn within the run.
    pub fn turn(&self) -> u32 {
        self.facts.first_turn.saturating_add(self.facts.turns_done)
    }

    /// Whether the loop has ended.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// What is to be done after an event, in order.
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match (self.phase, event) {
            (Phase::Over, _) => Vec::new(),
            (_, Event::Abort) => self.abort(),
            (Phase::Idle, Event::Begin) => self.assemble(),
            (Phase::Assembling, Event::Assembled { estimate, ceiling }) => self.assembled(estimate, ceiling),
            (Phase::Sent | Phase::Idle, Event::Answered { text, finish_is_length, tokens }) => {
                self.answered(&text, finish_is_length, tokens)
            }
            (Phase::Sent, Event::ModelFailed { kind, message }) => self.model_failed(kind, &message),
            (Phase::Recording, Event::Recorded { done }) => self.recorded(done),
            (Phase::Dispatching(at), Event::Dispatched { index, status, waits_for_user }) if at == index => {
                self.dispatched(index, status, waits_for_user)
            }
            (Phase::Dispatching(at) | Phase::Waiting(at), Event::Crashed { index, message })
                if at == index =>
            {
                self.crashed(index, &message)
            }
            (Phase::Waiting(at), Event::Decided { index, accepted, status }) if at == index => {
                if accepted {
                    self.dispatched(index, status, false)
                } else {
                    self.declined(index)
                }
            }
            (Phase::Measuring, Event::Measured { estimate, ceiling }) => self.measured(estimate, ceiling),
            _ => Vec::new(),
        }
    }
}
