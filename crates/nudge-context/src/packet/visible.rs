//! The block `visible`: the bodies of the data entries that are visible.
//!
//! It is ordered by turn, so a promoted entry comes last. Bodies of skills are in the system
//! message.

use nudge_core::scheme::Category;

use super::page::{Page, append};
use crate::chain::Filters;

/// Below the summary: it changes with every promotion.
const PRIORITY: u16 = 75;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(PRIORITY, "visible", move |text| append(text, "visible", &content(page)));
}

fn content(page: &Page<'_>) -> String {
    let data = page.of(Category::Data);
    let mut rows: Vec<_> = data.filter(|row| row.entry.is_visible() && !row.entry.is_skill()).collect();
    rows.sort_by_key(|row| (row.entry.turn, &row.entry.path));
    rows.iter().map(|row| row.whole()).collect()
}
