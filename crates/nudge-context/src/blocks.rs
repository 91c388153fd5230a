//! The blocks that an agent can get: their sections, the order, and how much of each.

mod start;

use std::collections::HashSet;

use nudge_core::Timestamp;

use crate::assemble::{Block, Excluded, LeftOut, Records, SectionLines, assemble};
use crate::budget::Budget;
use crate::found::Found;
use crate::frame::Delimiter;
use crate::section::Section;
use crate::trigger::Trigger;

pub use start::BlockFacts;

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
        Trigger::Prompt => prompt(facts, budget, delimiter, now),
        Trigger::BeforeTool | Trigger::AfterTool | Trigger::Outcome => tool(&facts, budget, delimiter, now),
    }
}

// The block before or after a tool: earlier failures of a command and what followed, what a run
// means for a hypothesis, and a reminder to state what the agent believes.

/// How much of a line is shown, in characters: the longest that fits is used.
const TOOL_LINE_CHARS: [usize; 3] = [420, 200, 90];

/// The number of parts in which a hypothesis is shown.
const HYPOTHESIS_PARTS: usize = 3;

/// Builds the block; `None` if nothing like it failed before and no hypothesis is affected.
fn tool(facts: &BlockFacts, budget: Budget, delimiter: &Delimiter, now: Timestamp) -> Option<Block> {
    let left_out: Vec<Excluded> = facts
        .withheld
        .iter()
        .map(|(entry, why)| Excluded { entry: *entry, why: LeftOut::Withheld(why) })
        .collect();
    // In some scripts a line costs more than the budget: then less of it is shown.
    TOOL_LINE_CHARS.iter().find_map(|most| {
        let tried =
            facts.hypotheses.iter().map(|one| (Some(one.entry), one.lines(*most / HYPOTHESIS_PARTS, now)));
        let tried = SectionLines::new(Section::Hypothesis, String::new(), tried.collect());
        let lines = facts.notes.iter().map(|note| (note.entry, note.whole_line(*most, now))).collect();
        let failed = SectionLines::new(Section::Failed, String::new(), lines);
        let sections = vec![tried, failed];
        let block = assemble("", sections, left_out.clone(), (budget, Records::ALL), delimiter)?;
        (!block.included.is_empty()).then_some(block)
    })
}

// The block for a prompt: earlier work related to it.

/// The most entries that are shown.
const MAX_ENTRIES: usize = 3;

/// Builds the block; `None` if the search results are not worth showing.
fn prompt(facts: BlockFacts, budget: Budget, delimiter: &Delimiter, now: Timestamp) -> Option<Block> {
    if !facts.decision.as_ref().is_some_and(|decision| decision.speaks) {
        return None;
    }
    let (held, free): (Vec<Found>, Vec<Found>) =
        facts.found.into_iter().partition(|found| found.withheld.is_some());
    let mut left_out: Vec<Excluded> = held
        .iter()
        .filter_map(|found| Some(Excluded { entry: found.entry, why: LeftOut::Withheld(found.withheld?) }))
        .collect();
    let mut said = HashSet::new();
    let mut shown = HashSet::new();
    let (new, same): (Vec<Found>, Vec<Found>) = free.into_iter().partition(|found| {
        let result = found.result.as_ref().map_or(found.entry, |result| result.entry);
        shown.insert(result) && said.insert((found.what, found.text.clone()))
    });
    left_out.extend(same.iter().map(|found| Excluded { entry: found.entry, why: LeftOut::Same }));
    let rest = new.iter().skip(MAX_ENTRIES);
    left_out.extend(rest.map(|found| Excluded { entry: found.entry, why: LeftOut::Enough }));
    let lines = new.iter().take(MAX_ENTRIES).map(|found| (Some(found.entry), found.line(now))).collect();
    let results = new.iter().filter_map(|found| Some((found.entry, found.result.as_ref()?.entry)));
    let section = SectionLines {
        beside: results.collect(),
        ..SectionLines::new(Section::Found, "## Earlier work on this\n".to_owned(), lines)
    };
    assemble("# nudge context\n", vec![section], left_out, (budget, Records::ALL), delimiter)
}
