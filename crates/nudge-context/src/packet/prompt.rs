//! The block `prompt`: the task, on every turn, with the figures of the packet.

use super::numbers::Numbers;
use super::page::Page;
use crate::chain::Filters;

/// First: it does not change while the loop runs.
const PRIORITY: u16 = 30;

/// Adds the block to the user message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>, numbers: Numbers) {
    chain.add(PRIORITY, "prompt", move |text| {
        let prompt = page.prompt.as_ref().map(|row| row.shown_with(&numbers.attributes()));
        text + &prompt.unwrap_or_default()
    });
}
