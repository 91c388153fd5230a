//! Before the request: the packet must fit below its ceiling.

use nudge_context::count_tokens;
use nudge_core::run::RunState;

use super::{Effect, Machine, Phase};
use crate::budget::{Overflow, Step, measure};

/// What an entry costs beside its body, at most: its tag with its path and its attributes, the
/// markers, and its share of the budget table.
const TAG_TOKENS: u32 = 200;

/// The status of an overflow.
pub(crate) const TOO_LARGE: u16 = 413;

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
        let body = overflow.message(step, turn);
        match step {
            Step::Send if !self.steps.is_empty() => {
                let room = ceiling.saturating_sub(tokens);
                let mut effects = self.write_steps(turn, room);
                effects.push(Effect::Assemble { turn });
                effects
            }
            Step::Send => {
                self.phase = Phase::Sent;
                self.estimate = Some(estimate);
                vec![Effect::Send { turn }]
            }
            Step::DemotePreviousTurn => {
                self.steps.push(("overflow_previous_turn", body));
                vec![Effect::DemoteTurn { turn: turn.saturating_sub(1) }, Effect::Assemble { turn }]
            }
            Step::DemotePrompt => {
                self.steps.push(("overflow_prompt", body));
                vec![Effect::DemotePrompt, Effect::Assemble { turn }]
            }
            Step::GiveUp => {
                self.phase = Phase::Over;
                let mut effects = self.write_steps(turn, 0);
                let error =
                    Effect::WriteError { turn, slug: "overflow", status: TOO_LARGE, body: body.clone() };
                let end = Effect::EndLoop {
                    state: RunState::Failed,
                    outcome: Some(format!("overflow:{TOO_LARGE}")),
                    status: TOO_LARGE,
                    answer: String::new(),
                    reason: body,
                };
                effects.extend([error, end]);
                effects
            }
        }
    }

    /// Writes what the ladder did. The model reads it only if that fits into the room that is left:
    /// a packet over its ceiling does not grow by the news of it.
    fn write_steps(&mut self, turn: u32, room: u32) -> Vec<Effect> {
        let steps = std::mem::take(&mut self.steps);
        let costs = steps.iter().map(|(_, body)| count_tokens(body).saturating_add(TAG_TOKENS));
        let cost = costs.fold(0, u32::saturating_add);
        let is_shown = measure(cost, self.facts.previous) <= room;
        let write = |(slug, body)| Effect::WriteOverflow { turn, slug, body, is_shown };
        steps.into_iter().map(write).collect()
    }
}
