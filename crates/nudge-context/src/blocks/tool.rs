//! The block before or after a tool: when a command failed before and what followed, what a run means
//! for a hypothesis, and whether it is time to say what is believed.

use nudge_core::Timestamp;

use super::StartFacts;
use crate::assemble::{Block, Excluded, LeftOut, Records, SectionLines, assemble};
use crate::budget::Budget;
use crate::frame::Delimiter;
use crate::section::Section;

/// How much of a line is said, in characters: the most that fits.
const ROOM: [usize; 3] = [420, 200, 90];

/// A hypothesis is said in so many parts.
const PARTS: usize = 3;

/// Makes the block, or nothing where nothing like it failed before and no hypothesis is at stake.
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
        let tried = facts.hypotheses.iter().map(|one| (Some(one.entry), one.lines(*most / PARTS, now)));
        let tried = SectionLines::new(Section::Hypothesis, String::new(), tried.collect());
        let lines = facts.notes.iter().map(|note| (note.entry, note.whole_line(*most, now))).collect();
        let failed = SectionLines::new(Section::Failed, String::new(), lines);
        let sections = vec![tried, failed];
        let block = assemble("", sections, left_out.clone(), (budget, Records::ALL), delimiter)?;
        (!block.included.is_empty()).then_some(block)
    })
}
