//! The block `budget`: the figures of the packet and what they consist of, at the very end.

use super::numbers::Numbers;
use super::page::Page;
use crate::chain::Filters;

/// Last: the model reads it just before it acts.
const PRIORITY: u16 = 175;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>, numbers: Numbers) {
    chain.add(PRIORITY, "budget", move |text| {
        let table = page.budget(numbers.tokens).text_with(numbers);
        format!("{text}<budget{}>\n{table}</budget>\n", numbers.attributes())
    });
}
