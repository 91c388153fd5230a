//! The block before or after a tool: earlier failures of a command and what followed, what a run
//! means for a hypothesis, and a reminder to state what the agent believes.

use nudge_core::Timestamp;

use super::BlockFacts;
use crate::assemble::{Block, Excluded, LeftOut, Records, SectionLines, assemble};
use crate::budget::Budget;
use crate::frame::Delimiter;
use crate::section::Section;

/// How much of a line is shown, in characters: the longest that fits is used.
const ROOM: [usize; 3] = [420, 200, 90];

/// The number of parts in which a hypothesis is shown.
const PARTS: usize = 3;

/// Builds the block; `None` if nothing like it failed before and no hypothesis is affected.
pub(super) fn tool(
    facts: &BlockFacts,
    budget: Budget,
    delimiter: &Delimiter,
    now: Timestamp,
) -> Option<Block> {
    let left_out: Vec<Excluded> = facts
        .withheld
        .iter()
        .map(|(entry, why)| Excluded { entry: *entry, why: LeftOut::Withheld(why) })
        .collect();
    // In some scripts a line costs more than the budget: then less of it is shown.
    ROOM.iter().find_map(|most| {
        let tried = facts.hypotheses.iter().map(|one| (Some(one.entry), one.lines(*most / PARTS, now)));
        let tried = SectionLines::new(Section::Hypothesis, String::new(), tried.collect());
        let lines = facts.notes.iter().map(|note| (note.entry, note.whole_line(*most, now))).collect();
        let failed = SectionLines::new(Section::Failed, String::new(), lines);
        let sections = vec![tried, failed];
        let block = assemble("", sections, left_out.clone(), (budget, Records::ALL), delimiter)?;
        (!block.included.is_empty()).then_some(block)
    })
}
