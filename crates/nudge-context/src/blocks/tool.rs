//! The block before or after a command: when the same failed before, and what followed.

use nudge_core::Timestamp;

use super::StartFacts;
use crate::assemble::{Block, Excluded, LeftOut, Records, SectionLines, assemble};
use crate::budget::Budget;
use crate::frame::Delimiter;
use crate::section::Section;

/// How much of a line is said, in characters: the most that fits.
const ROOM: [usize; 3] = [420, 200, 90];

/// Makes the block, or nothing where nothing like it failed before.
pub(super) fn tool(
    facts: &StartFacts,
    budget: Budget,
    delimiter: &Delimiter,
    now: Timestamp,
) -> Option<Block> {
    let left_out: Vec<Excluded> = facts
        .held
        .iter()
        .map(|(entry, why)| Excluded { entry: *entry, why: LeftOut::Withheld(why) })
        .collect();
    // In some scripts a line costs more than the budget has: then less of it is said.
    ROOM.iter().find_map(|most| {
        let lines = facts.notes.iter().map(|note| (note.entry, note.whole_line(*most, now))).collect();
        let section = SectionLines::new(Section::Failed, String::new(), lines);
        let block = assemble("", vec![section], left_out.clone(), (budget, Records::ALL), delimiter)?;
        (!block.included.is_empty()).then_some(block)
    })
}
