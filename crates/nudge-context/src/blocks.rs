//! The blocks that an agent can get: their sections, the order, and how much of each.

mod start;

use std::cmp::Reverse;
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

/// The most entries that are shown with a prompt.
pub const MAX_FOUND_LINES: usize = 3;

/// The least chance of a further line, as a share of what the first one needs. A further line costs
/// little once something is injected.
pub const MIN_FURTHER_CHANCE: f32 = 0.4;

/// Why an entry is not injected beside a better one.
pub const UNLIKELY: &str = "it is less likely to help";

/// What an agent is asked when a prompt may state a rule. It names the tool and its arguments,
/// because an agent may not see the list of tools.
const ASK: &str = "- If this or a later prompt states a rule that is meant to last, call the tool `remember` of nudge: \
    the rule as `text`, and the person's sentence, word for word, as `quote`. Otherwise ignore this line.\n";

/// Builds the block; `None` if the search results are not worth showing and the agent is not to be
/// asked for a rule.
fn prompt(mut facts: BlockFacts, budget: Budget, delimiter: &Delimiter, now: Timestamp) -> Option<Block> {
    let speaks = facts.decision.as_ref().is_some_and(|decision| decision.speaks);
    let ask = facts.asks_about.take().map(|prompt| {
        SectionLines::new(Section::Ask, "## Nudge asks\n".to_owned(), vec![(Some(prompt), ASK.to_owned())])
    });
    let (found, left_out) = if speaks { found(facts, now) } else { (None, Vec::new()) };
    // The question comes first, so that it is never what the budget leaves out.
    let sections: Vec<SectionLines> = ask.into_iter().chain(found).collect();
    assemble("# nudge context\n", sections, left_out, (budget, Records::ALL), delimiter)
}

/// The section of the search results, and what is left out of it.
fn found(facts: BlockFacts, now: Timestamp) -> (Option<SectionLines>, Vec<Excluded>) {
    let reason = |found: &Found| found.withheld.or((found.margin < MIN_FURTHER_CHANCE).then_some(UNLIKELY));
    let (held, free): (Vec<Found>, Vec<Found>) =
        facts.found.into_iter().partition(|found| reason(found).is_some());
    let mut left_out: Vec<Excluded> = held
        .iter()
        .filter_map(|found| Some(Excluded { entry: found.entry, why: LeftOut::Withheld(reason(found)?) }))
        .collect();
    let mut said = HashSet::new();
    let mut shown = HashSet::new();
    let (new, same): (Vec<Found>, Vec<Found>) = free.into_iter().partition(|found| {
        let result = found.result.as_ref().map_or(found.entry, |result| result.entry);
        shown.insert(result) && said.insert((found.what, found.text.clone()))
    });
    left_out.extend(same.iter().map(|found| Excluded { entry: found.entry, why: LeftOut::Same }));
    let rest = new.iter().skip(MAX_FOUND_LINES);
    left_out.extend(rest.map(|found| Excluded { entry: found.entry, why: LeftOut::Enough }));
    // What was decided last stands first.
    let mut shown: Vec<&Found> = new.iter().take(MAX_FOUND_LINES).collect();
    shown.sort_by_key(|found| Reverse(found.at));
    let lines = shown.into_iter().map(|found| (Some(found.entry), found.line(now))).collect();
    let results = new.iter().filter_map(|found| Some((found.entry, found.result.as_ref()?.entry)));
    let section = SectionLines {
        beside: results.collect(),
        ..SectionLines::new(Section::Found, "## Earlier work on this\n".to_owned(), lines)
    };
    (Some(section), left_out)
}
