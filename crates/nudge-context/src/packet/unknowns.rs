//! The block `unknowns`: the open questions, oldest first.

use nudge_core::scheme::Category;

use super::page::{Page, append};
use crate::chain::Filters;

/// After the log: a question is about what happened so far.
const PRIORITY: u16 = 150;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(PRIORITY, "unknowns", move |text| append(text, "unknowns", &content(page)));
}

fn content(page: &Page<'_>) -> String {
    let mut rows: Vec<_> = page.of(Category::Unknown).collect();
    rows.sort_by_key(|row| row.entry.turn);
    rows.iter().map(|row| row.shown()).collect()
}
