//! Turns the content of memory into the text that an agent sees.
//!
//! Input: candidates, typed and bounded. Output: a [`Block`], a text that fits its budget, with
//! what it contains and why, and what was left out and why. Everything in it that the user did not
//! type is quoted data inside one frame. Nothing here does I/O, reads a clock or draws a random
//! number.

mod assemble;
mod blocks;
mod budget;
mod chain;
mod clean;
mod found;
mod fragment;
mod frame;
mod living;
mod naming;
mod pack;
mod packet;
mod pick;
mod program;
mod section;
mod stated;
mod stopped;
mod trigger;

pub use assemble::{Block, Excluded, Included, LeftOut};
pub use blocks::{BlockFacts, MAX_FOUND_LINES, MIN_FURTHER_CHANCE, UNLIKELY, block};
pub use budget::Budget;
pub use chain::{Events, Filters};
pub use clean::{clean, clean_text, is_plain_text, quoted};
pub use found::{Decision, Found, FoundResult};
pub use fragment::{Command, Failure, Intent, Note, RelativePlace, Row};
pub use frame::Delimiter;
pub use living::{Hypothesis, HypothesisMessage, HypothesisReason, Marked, RunMeaning};
pub use naming::{named, path_named};
pub use pack::{Item, NotShown, Packed, Shown, Source, Spent, pack};
pub use packet::{
    BudgetRow, BudgetShare, BudgetTable, BudgetTotal, EntryCost, Packet, PacketEntry, PacketFacts,
    PacketTokens, budget_table, cost, count_tokens, packet,
};
pub use pick::{INVISIBLE_WORK_FACTOR, worth};
pub use program::program_of;
pub use section::Section;
pub use stated::{Stated, StatedKind};
pub use stopped::{Changed, Quote, Stopped, Turn};
pub use trigger::Trigger;
