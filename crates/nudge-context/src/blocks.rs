//! The blocks that an agent can get: their sections, the order, and how much of each.

mod living;
mod prompt;
mod recovery;
mod start;
mod stated;
mod stopped;
mod tool;

pub use start::BlockFacts;

use nudge_core::Timestamp;

use crate::assemble::Block;
use crate::budget::Budget;
use crate::frame::Delimiter;
use crate::trigger::Trigger;

/// The block for a trigger; `None` if there is nothing to say.
pub fn block(
    facts: BlockFacts,
    trigger: Trigger,
    budget: Budget,
    delimiter: &Delimiter,
    now: Timestamp,
) -> Option<Block> {
    match trigger {
        Trigger::Start | Trigger::Fork | Trigger::Resume | Trigger::Clear | Trigger::Compact => {
            start::start(facts, trigger, budget, delimiter, now)
        }
        Trigger::Subagent => start::subagent(facts, budget, delimiter),
        Trigger::Prompt => prompt::prompt(facts, budget, delimiter, now),
        Trigger::BeforeTool | Trigger::AfterTool | Trigger::Outcome => {
            tool::tool(&facts, budget, delimiter, now)
        }
    }
}
