//! The limits of a loop.

/// The limits of a loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most turns of one loop. A run may have many loops.
    pub max_turns: u32,
    /// The most calls of one turn; the others are dropped, and the model reads that.
    pub max_commands: usize,
    /// How many turns with errors in a row end the loop.
    pub max_strikes: u32,
    /// How often turns must repeat to be a cycle.
    pub min_cycles: usize,
    /// The most turns that one cycle consists of.
    pub max_cycle_period: usize,
    /// How many percent of the model's context a packet may take. The rest is for the answer and
    /// for the error of the estimate.
    pub ceiling_percent: u32,
    /// The most tokens of one `known://` entry.
    pub max_entry_tokens: u32,
    /// The most characters of a target. A longer one is reasoning that leaked into a tag.
    pub target_most: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_turns: 99,
            max_commands: 99,
            max_strikes: 3,
            min_cycles: 3,
            max_cycle_period: 4,
            ceiling_percent: 90,
            max_entry_tokens: 512,
            target_most: 512,
        }
    }
}
