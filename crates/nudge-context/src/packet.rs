//! The packet: the two messages that a run's model gets on a turn, with what each entry costs.
//!
//! Every block is a filter in a file of its own. This file builds the two chains and applies them;
//! what a block holds, and whether it is there, is the block's own business.

mod blocks;
mod cost;
mod entry;
mod numbers;
mod page;
mod quoting;
mod render;
mod table;

pub use cost::{EntryCost, cost, count_tokens};
pub use entry::{PacketEntry, PacketTokens};
pub use table::{BudgetRow, BudgetShare, BudgetTable, BudgetTotal, Packet, PacketFacts, budget_table};

use self::numbers::Numbers;
use self::page::Page;
use crate::chain::Filters;

/// Assembles the packet of a turn.
///
/// The figures in it are true of its own bytes: `tokens.usage` is the cost of `system` plus the
/// cost of `user`, and the model reads the same numbers at both ends of the user message.
pub fn packet(facts: &PacketFacts<'_>) -> Packet {
    let page = Page::new(facts);
    let system = system_chain(&page).apply(facts.system.to_owned());
    let ceiling = facts.ceiling();
    let user_of = |numbers: Numbers| user_chain(&page, numbers).apply(String::new());
    let (user, tokens) = numbers::settle(count_tokens(&system), ceiling, user_of);
    let loop_start_turn = facts.prompt.map_or(0, |prompt| prompt.turn);
    Packet { system, user, tokens, budget: page.budget(tokens), rows: page.costs(), loop_start_turn }
}

/// The chain of the system message. It starts from the system prompt.
fn system_chain<'p>(page: &'p Page<'_>) -> Filters<'p, String> {
    let mut chain = Filters::new();
    blocks::add_skills(&mut chain, page);
    chain
}

/// The chain of the user message. It starts from an empty text.
fn user_chain<'p>(page: &'p Page<'_>, numbers: Numbers) -> Filters<'p, String> {
    let mut chain = Filters::new();
    blocks::add_prompt(&mut chain, page, numbers);
    blocks::add_summary(&mut chain, page);
    blocks::add_visible(&mut chain, page);
    blocks::add_log(&mut chain, page);
    blocks::add_unknowns(&mut chain, page);
    blocks::add_instructions(&mut chain, page);
    blocks::add_budget(&mut chain, page, numbers);
    chain
}
