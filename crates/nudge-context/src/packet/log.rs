//! The block `log`: what happened, and the prompts before the latest, oldest first.

use nudge_core::scheme::Category;

use super::page::{Page, Row, append};
use crate::chain::Filters;

/// After what the model works with.
const PRIORITY: u16 = 100;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(PRIORITY, "log", move |text| append(text, "log", &content(page)));
}

fn content(page: &Page<'_>) -> String {
    let mut rows: Vec<&Row<'_>> = page.rows.iter().filter(|row| belongs(row)).collect();
    // A stable order: the entries of one turn stay as they happened.
    rows.sort_by_key(|row| row.entry.turn);
    rows.iter().map(|row| row.shown()).collect()
}

fn belongs(row: &Row<'_>) -> bool {
    matches!(row.entry.category, Category::Logging | Category::Prompt)
}
