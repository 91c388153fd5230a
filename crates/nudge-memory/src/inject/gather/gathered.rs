//! What was gathered for somebody who is told, and the block that it makes.

use std::collections::HashSet;

use nudge_context::{Block, Budget, Delimiter, StartFacts, Trigger, block};
use nudge_core::Timestamp;
use nudge_store::SessionId;

/// All that may be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::inject) struct Gathered {
    pub(in crate::inject) facts: StartFacts,
    /// The sessions that are told with where they stopped.
    pub(in crate::inject) stopped: HashSet<SessionId>,
    /// Whether a run has decided about a hypothesis, which its agent has to know however much it was told lately.
    pub(in crate::inject) is_decided: bool,
}

impl Gathered {
    /// The block, or nothing where there is nothing to tell.
    pub(in crate::inject) fn block(
        self,
        trigger: Trigger,
        budget: Budget,
        delimiter: &Delimiter,
        now: Timestamp,
    ) -> Option<Block> {
        block(self.facts, trigger, budget, delimiter, now)
    }
}
