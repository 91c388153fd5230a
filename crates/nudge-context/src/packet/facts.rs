//! What the packet is made from, and the packet itself.

use super::cost::EntryCost;
use super::entry::PacketEntry;
use super::table::BudgetTable;
use super::tokens::PacketTokens;

/// What the packet of a turn is made from.
#[derive(Copy, Clone, Debug)]
pub struct PacketFacts<'a> {
    /// The latest prompt. It may be among the entries too.
    pub prompt: Option<&'a PacketEntry>,
    /// The entries of the run; those of one turn in the order in which they happened.
    pub entries: &'a [PacketEntry],
    /// The system prompt: the program's own text.
    pub system: &'a str,
    /// The reminders at the end: the program's own text, the same on every turn.
    pub instructions: &'a str,
    /// How many tokens the model can read.
    pub context_size: u32,
    /// How many percent of them a packet may take.
    pub ceiling_percent: u32,
}

impl PacketFacts<'_> {
    /// The most tokens that a packet may take.
    pub fn ceiling(&self) -> u32 {
        let ceiling = u64::from(self.context_size) * u64::from(self.ceiling_percent) / 100;
        u32::try_from(ceiling).unwrap_or(u32::MAX)
    }
}

/// The two messages of a turn, and what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The system message.
    pub system: String,
    /// The user message.
    pub user: String,
    /// What both cost together.
    pub tokens: PacketTokens,
    /// What that consists of. The model reads it at the end of the user message.
    pub budget: BudgetTable,
    /// What each entry in them costs: the prompt first, then the entries in their order.
    pub rows: Vec<EntryCost>,
    /// The turn of the latest prompt, where the current loop began; 0 without a prompt.
    pub loop_start_turn: u32,
}
