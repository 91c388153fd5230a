//! The block `instructions`: the reminders, the same bytes on every turn.

use super::page::{Page, append};
use crate::chain::Filters;

/// Near the end, where the model acts: a rule far above is forgotten.
const PRIORITY: u16 = 165;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(PRIORITY, "instructions", move |text| append(text, "instructions", &content(page)));
}

fn content(page: &Page<'_>) -> String {
    let text = page.instructions;
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}
