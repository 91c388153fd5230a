//! What the machine asks of a driver.

use nudge_core::run::{RunState, TurnState};

use crate::policy::Recorded;
use crate::verdict::Verdict;

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
        verdict: Verdict,
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
