//! The block for a prompt: earlier work related to it.

use std::collections::HashSet;

use nudge_core::Timestamp;

use super::BlockFacts;
use crate::assemble::{Block, Excluded, LeftOut, Records, SectionLines, assemble};
use crate::budget::Budget;
use crate::found::Found;
use crate::frame::Delimiter;
use crate::section::Section;

/// The most entries that are shown.
const MOST: usize = 3;

/// Builds the block; `None` if the search results are not worth showing.
pub(super) fn prompt(
    facts: BlockFacts,
    budget: Budget,
    delimiter: &Delimiter,
    now: Timestamp,
) -> Option<Block> {
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
    let (new, same): (Vec<Found>, Vec<Found>) =
        free.into_iter().partition(|found| said.insert((found.what, found.text.clone())));
    left_out.extend(same.iter().map(|found| Excluded { entry: found.entry, why: LeftOut::Same }));
    let rest = new.iter().skip(MOST);
    left_out.extend(rest.map(|found| Excluded { entry: found.entry, why: LeftOut::Enough }));
    let lines = new.iter().take(MOST).map(|found| (Some(found.entry), found.line(now))).collect();
    let section = SectionLines::new(Section::Found, "## Earlier work on this\n".to_owned(), lines);
    assemble("# nudge context\n", vec![section], left_out, (budget, Records::ALL), delimiter)
}
