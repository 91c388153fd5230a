//! What an entry costs in a packet. Nothing else measures an entry.

use nudge_core::tokens::{self, Tokens};

use nudge_core::scheme::Category;

use super::entry::PacketEntry;
use super::render::Rendering;

/// The cost of an entry, measured on its rendered bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryCost {
    /// Its path.
    pub path: String,
    /// What it costs when it is visible. A data entry then pays for its summary line too.
    pub visible: u32,
    /// What it costs when it is summarized.
    pub summarized: u32,
    /// What promotion costs and demotion frees: `visible - summarized`, never below 0. The model
    /// reads this number as `tokens`.
    pub premium: u32,
}

/// The cost of an entry, visible and summarized, whichever it is now.
pub fn cost(entry: &PacketEntry) -> EntryCost {
    cost_of(&Rendering::new(entry))
}

/// The cost of a text. One function counts the packet, its entries and the bodies that are written.
///
/// It is the plain estimate, not the upper one: the model does sums with these numbers. The ceiling
/// leaves room for the error.
pub fn count_tokens(text: &str) -> u32 {
    let Tokens(count) = tokens::estimate(text);
    count
}

/// The tag shows the premium, so the premium counts itself. More digits cost more, so the steps
/// only go up and soon stop.
const MAX_STEPS: usize = 12;

/// The cost of what is rendered already.
pub(super) fn cost_of(rendering: &Rendering<'_>) -> EntryCost {
    let mut cost = with_premium(rendering, 0);
    for _ in 0..MAX_STEPS {
        let next = with_premium(rendering, cost.premium);
        if next == cost {
            break;
        }
        cost = next;
    }
    cost
}

/// The cost when the tags show this premium.
fn with_premium(rendering: &Rendering<'_>, premium: u32) -> EntryCost {
    let entry = rendering.entry();
    let summarized = count_tokens(&rendering.line(premium));
    let whole = count_tokens(&rendering.whole(premium));
    let is_shown_twice = entry.category == Category::Data;
    let visible = if is_shown_twice { whole.saturating_add(summarized) } else { whole };
    EntryCost { path: entry.path.clone(), visible, summarized, premium: visible.saturating_sub(summarized) }
}
