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

mod ending;
mod work;

use nudge_core::run::{Mode, RunState, TurnState};

use self::work::Work;
use crate::budget::Ladder;
use crate::budget::Limits;
use crate::policy::{Policy, Recorded};
use crate::tools::Flags;
use crate::verdict::{TurnVerdict, VerdictChain};

pub(crate) use work::STATUS_TOO_LARGE;

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
    verdicts: VerdictChain<'f>,
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
        let verdicts = VerdictChain::new(facts.limits);
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
    pub fn with_verdicts(self, verdicts: VerdictChain<'f>) -> Self {
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
                    self.decided(status)
                } else {
                    self.declined(index)
                }
            }
            (Phase::Measuring, Event::Measured { estimate, ceiling }) => self.measured(estimate, ceiling),
            _ => Vec::new(),
        }
    }
}

// What the machine asks of a driver.

/// What is to be done. The driver does the effects of an event in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Assemble the packet of a turn, then report `Assembled`.
    Assemble {
        /// The turn.
        turn: u32,
    },
    /// Summarize what a turn put into view.
    DemoteTurn {
        /// The turn.
        turn: u32,
    },
    /// Summarize the prompt.
    DemotePrompt,
    /// Write an error of the turn, which the model reads on its next turn.
    WriteError {
        /// The turn.
        turn: u32,
        /// The last part of its path, unique within the turn.
        slug: &'static str,
        /// Its status.
        status: u16,
        /// Its text.
        body: String,
    },
    /// Write what was made smaller before the request of a turn, unless nothing was.
    WriteOverflow {
        /// The turn.
        turn: u32,
        /// The last part of its path, unique within the turn.
        slug: &'static str,
        /// Its text.
        body: String,
        /// Whether the packet has room for it. Otherwise only people see it.
        is_shown: bool,
    },
    /// Send the packet, then report `Answered` or `ModelFailed`.
    Send {
        /// The turn.
        turn: u32,
    },
    /// Store the answer and its calls, then report `Recorded`. A rejected call is stored as failed.
    Record {
        /// The turn.
        turn: u32,
        /// The calls.
        calls: Vec<Recorded>,
        /// What the parser recovered without a loss.
        healed: Vec<String>,
    },
    /// Carry out a call, then report `Dispatched` or `Crashed`.
    Dispatch {
        /// Which call.
        index: usize,
    },
    /// Store that a call was not carried out: outcome `aborted`.
    Skip {
        /// Which call.
        index: usize,
    },
    /// Store the status of a call that needs no work: notes and updates, and what crashed.
    Finish {
        /// Which call.
        index: usize,
        /// 200, 409 for an end that is not believed, 500 for a crash.
        status: u16,
    },
    /// Wait for the user's decision on a call, then report `Decided`.
    AwaitUser {
        /// Which call.
        index: usize,
    },
    /// Measure the next packet, then report `Measured`.
    Measure,
    /// Store the end of the turn.
    EndTurn {
        /// The turn.
        turn: u32,
        /// `Ended`, or `Failed` if the model did not answer.
        state: TurnState,
        /// The ruling.
        verdict: TurnVerdict,
        /// What the turn did, as a number.
        fingerprint: u64,
        /// Its errors besides failed calls.
        errors: u32,
    },
    /// Store the end of the loop.
    EndLoop {
        /// Its state.
        state: RunState,
        /// Its outcome.
        outcome: Option<String>,
        /// Its status.
        status: u16,
        /// What the model answered.
        answer: String,
        /// Why it ended, for people.
        reason: String,
    },
}

// What a driver reports to the machine.

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The loop begins, or goes on after a turn that was never answered.
    Begin,
    /// The packet of the turn is assembled.
    Assembled {
        /// Its estimated cost.
        estimate: u32,
        /// The most that it may cost.
        ceiling: u32,
    },
    /// The model answered.
    Answered {
        /// What it wrote.
        text: String,
        /// Whether the answer ended because it reached the limit of its length.
        finish_is_length: bool,
        /// What the model counted for the packet.
        tokens: Option<u32>,
    },
    /// The model did not answer.
    ModelFailed {
        /// Why.
        kind: FailureKind,
        /// The same in words.
        message: String,
    },
    /// The answer and its calls are stored.
    Recorded {
        /// The status of each call that was carried out before a crash: normally all `None`. 202
        /// waits for the user.
        done: Vec<Option<u16>>,
    },
    /// A call was carried out.
    Dispatched {
        /// Which call.
        index: usize,
        /// Its status; 400 and above is a failure.
        status: u16,
        /// Whether it now waits for the user.
        waits_for_user: bool,
    },
    /// The user decided on a call.
    Decided {
        /// Which call.
        index: usize,
        /// Whether it may be carried out.
        accepted: bool,
        /// Its status after it was carried out. A failure skips the calls after it, and is no
        /// strike: the user or a command failed it, not the model. Nobody reads it if it was not
        /// accepted.
        status: u16,
    },
    /// The next packet is measured.
    Measured {
        /// Its estimated cost.
        estimate: u32,
        /// The most that it may cost.
        ceiling: u32,
    },
    /// Nudge itself failed while it carried out a call.
    Crashed {
        /// Which call.
        index: usize,
        /// What failed.
        message: String,
    },
    /// The user stops the loop.
    Abort,
}

/// Why a model did not answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The packet is longer than the model can read.
    ContextTooLong,
    /// The answer broke off.
    Interrupted,
    /// The provider has no key or address.
    NotConfigured,
    /// The provider does not know the key.
    Auth,
    /// Too many requests, for too long.
    RateLimit,
    /// The provider rejects the request.
    Rejected,
    /// The provider cannot be reached or has failed.
    Unavailable,
    /// Nothing came for too long.
    Timeout,
    /// The answer does not follow the provider's protocol.
    Malformed,
}

impl FailureKind {
    /// The status of the error.
    pub const fn status(self) -> u16 {
        match self {
            Self::ContextTooLong => 413,
            Self::Interrupted | Self::Unavailable | Self::Malformed => 502,
            Self::NotConfigured => 503,
            Self::Auth => 401,
            Self::RateLimit => 429,
            Self::Rejected => 400,
            Self::Timeout => 504,
        }
    }
}
