//! The block `summary`: one line for each data entry that is visible or summarized.
//!
//! It is ordered by path and does not show visibility, so it changes only when an entry lands.

use nudge_core::scheme::Category;

use super::page::{Page, append};
use crate::chain::Filters;

/// Above the bodies, which change more often: a model's cache holds a common beginning.
const PRIORITY: u16 = 50;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(PRIORITY, "summary", move |text| append(text, "summary", &content(page)));
}

fn content(page: &Page<'_>) -> String {
    let mut rows: Vec<_> = page.of(Category::Data).collect();
    rows.sort_by_key(|row| &row.entry.path);
    rows.iter().map(|row| row.line()).collect()
}
