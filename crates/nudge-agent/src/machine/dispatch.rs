//! The calls of a turn: strictly one after another, and none after a failure.

use super::work::Fate;
use super::{Effect, Machine, Phase};

impl Machine<'_> {
    /// The records are stored: the first call may run.
    pub(super) fn recorded(&mut self, done: Vec<Option<u16>>) -> Vec<Effect> {
        self.work.done = done;
        self.advance()
    }

    /// Notes how a call went, and goes on.
    pub(super) fn dispatched(&mut self, index: usize, status: u16, waits_for_user: bool) -> Vec<Effect> {
        if waits_for_user {
            self.phase = Phase::Waiting(index);
            return vec![Effect::AwaitUser { index }];
        }
        self.work.is_broken |= status >= 400;
        self.advance()
    }

    /// A failure of Nudge itself is an error of the turn, and the rest is skipped.
    pub(super) fn crashed(&mut self, index: usize, message: &str) -> Vec<Effect> {
        let tool = self.work.calls.get(index).map_or("a call", |call| call.tool.name());
        let body = format!("{tool} failed inside Nudge: {message}");
        let error = Effect::WriteError { turn: self.turn(), slug: "crash", status: 500, body };
        self.work.is_broken = true;
        self.work.errors += 1;
        let mut effects = vec![error, Effect::Finish { index, status: 500 }];
        effects.extend(self.advance());
        effects
    }

    /// Goes to the next call that needs the driver, or to the end of the turn.
    fn advance(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some((index, fate)) = self.work.take() {
            match fate {
                Fate::Settled | Fate::Later => {}
                Fate::Note => effects.push(Effect::Finish { index, status: 200 }),
                Fate::Skip => effects.push(Effect::Skip { index }),
                Fate::Await => {
                    self.phase = Phase::Waiting(index);
                    effects.push(Effect::AwaitUser { index });
                    return effects;
                }
                Fate::Dispatch => {
                    self.phase = Phase::Dispatching(index);
                    effects.push(Effect::Dispatch { index });
                    return effects;
                }
            }
        }
        self.phase = Phase::Measuring;
        effects.push(Effect::Measure);
        effects
    }
}
