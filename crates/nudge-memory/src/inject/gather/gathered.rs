//! The facts gathered for a recipient, and the block made from them.

use std::collections::HashSet;

use nudge_context::{Block, BlockFacts, Budget, Delimiter, Trigger, block};
use nudge_core::Timestamp;
use nudge_store::SessionId;

/// Everything that may be injected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::inject) struct Gathered {
    pub(in crate::inject) facts: BlockFacts,
    /// The sessions already shown with where they stopped.
    pub(in crate::inject) stopped: HashSet<SessionId>,
    /// Whether a run has decided a hypothesis. Its agent must know that, however much was injected
    /// lately.
    pub(in crate::inject) is_decided: bool,
}

impl Gathered {
    /// The block; `None` if there is nothing to inject.
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
