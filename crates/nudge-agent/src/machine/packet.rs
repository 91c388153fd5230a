//! Before the request: the packet must fit below its ceiling.

use nudge_core::run::RunState;

use super::{Effect, Machine, Phase};
use crate::budget::{Overflow, Step, measure};

/// The status of an overflow.
pub(super) const TOO_LARGE: u16 = 413;

impl Machine<'_> {
    /// Asks for the packet of the current turn.
    pub(super) fn assemble(&mut self) -> Vec<Effect> {
        self.phase = Phase::Assembling;
        vec![Effect::Assemble { turn: self.turn() }]
    }

    /// Sends the packet, or goes one step down and asks for it again. An overflow before the
    /// request is no error of the turn: the model has not had a say yet.
    pub(super) fn assembled(&mut self, estimate: u32, ceiling: u32) -> Vec<Effect> {
        let turn = self.turn();
        let tokens = measure(estimate, self.facts.previous);
        let overflow = Overflow { tokens, ceiling };
        let step = self.ladder.check(tokens, ceiling);
        let error =
            |slug| Effect::WriteError { turn, slug, status: TOO_LARGE, body: overflow.message(step, turn) };
        match step {
            Step::Send => {
                self.phase = Phase::Sent;
                self.estimate = Some(estimate);
                vec![Effect::Send { turn }]
            }
            Step::DemotePreviousTurn => vec![
                Effect::DemoteTurn { turn: turn.saturating_sub(1) },
                error("overflow_previous_turn"),
                Effect::Assemble { turn },
            ],
            Step::DemotePrompt => {
                vec![Effect::DemotePrompt, error("overflow_prompt"), Effect::Assemble { turn }]
            }
            Step::GiveUp => {
                self.phase = Phase::Over;
                let end = Effect::EndLoop {
                    state: RunState::Failed,
                    outcome: Some(format!("overflow:{TOO_LARGE}")),
                    status: TOO_LARGE,
                    answer: String::new(),
                    reason: overflow.message(step, turn),
                };
                vec![error("overflow"), end]
            }
        }
    }
}
