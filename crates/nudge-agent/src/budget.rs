//! The limits of a loop, and the ceiling of a packet: what is demoted when a packet exceeds it, and
//! when the loop gives up.
//!
//! Below the ceiling nothing happens: no warning, and nothing is demoted in advance. The model
//! reads the figures on every turn and keeps its own budget.

/// The cost of a packet in the model's own tokens: the estimate, scaled by what the model counted
/// for the previous packet. `previous` is that packet's estimate and the model's own count.
pub fn measure(estimate: u32, previous: Option<(u32, u32)>) -> u32 {
    match previous {
        Some((estimated, real)) if estimated > 0 => {
            let scaled = (u64::from(estimate) * u64::from(real)).div_ceil(u64::from(estimated));
            u32::try_from(scaled).unwrap_or(u32::MAX)
        }
        _ => estimate,
    }
}

/// What to do with an assembled packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It fits.
    Send,
    /// What the previous turn put into view is demoted.
    DemotePreviousTurn,
    /// The prompt is demoted.
    DemotePrompt,
    /// Nothing is left to demote.
    GiveUp,
}

/// The steps of one turn. Each overflow goes one step on.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    overflows: u32,
}

impl Ladder {
    /// What to do with a packet that costs this much.
    pub fn check(&mut self, tokens: u32, ceiling: u32) -> Step {
        if tokens <= ceiling {
            return Step::Send;
        }
        self.overflows = self.overflows.saturating_add(1);
        match self.overflows {
            1 => Step::DemotePreviousTurn,
            2 => Step::DemotePrompt,
            _ => Step::GiveUp,
        }
    }
}

/// A packet over its ceiling.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// What it costs.
    pub tokens: u32,
    /// What it may cost.
    pub ceiling: u32,
}

impl Overflow {
    /// The overflow of a packet, if there is one.
    pub fn of(tokens: u32, ceiling: u32) -> Option<Self> {
        (tokens > ceiling).then_some(Self { tokens, ceiling })
    }

    /// What the model reads about a step before the request. `turn` is the current turn.
    pub fn message(self, step: Step, turn: u32) -> String {
        let previous = match turn.saturating_sub(1) {
            0 => "What was in view before the first turn".to_owned(),
            previous => format!("What turn {previous} put into view"),
        };
        match step {
            Step::Send => String::new(),
            Step::DemotePreviousTurn => {
                format!("{} {previous} is now summarized.", self.figures())
            }
            Step::DemotePrompt => {
                format!("{} The prompt is now summarized too; get reads it in full.", self.figures())
            }
            Step::GiveUp => format!(
                "{} {previous} and the prompt are summarized already; nothing was sent.",
                self.figures()
            ),
        }
    }

    /// What the model reads when the results of its own turn are too much.
    pub fn message_after(self, turn: u32) -> String {
        format!(
            "{} What this turn ({turn}) put into view is now summarized. Read less at once: a part with line \
             and limit, or a preview.",
            self.figures()
        )
    }

    fn figures(self) -> String {
        let Self { tokens, ceiling } = self;
        let over = tokens.saturating_sub(ceiling);
        format!("The packet has {tokens} tokens, {over} over the ceiling of {ceiling}.")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_scaled_by_the_previous_turn() {
        for (estimate, previous, expected) in [
            (1_000, None, 1_000),
            (1_000, Some((500, 600)), 1_200),
            (1_000, Some((500, 400)), 800),
            (10, Some((3, 4)), 14),
            (1_000, Some((0, 600)), 1_000),
            (0, Some((500, 600)), 0),
            (u32::MAX, Some((1, u32::MAX)), u32::MAX),
        ] {
            assert_eq!(measure(estimate, previous), expected, "{estimate} {previous:?}");
        }
    }

    #[test]
    fn each_overflow_goes_one_step_on() {
        for (costs, expected) in [
            (&[100][..], &[Step::Send][..]),
            (&[101, 100], &[Step::DemotePreviousTurn, Step::Send]),
            (&[300, 200, 90], &[Step::DemotePreviousTurn, Step::DemotePrompt, Step::Send]),
            (
                &[300, 200, 101, 101],
                &[Step::DemotePreviousTurn, Step::DemotePrompt, Step::GiveUp, Step::GiveUp],
            ),
        ] {
            let mut ladder = Ladder::default();
            let steps: Vec<Step> = costs.iter().map(|cost| ladder.check(*cost, 100)).collect();
            assert_eq!(steps, expected, "{costs:?}");
        }
    }

    #[test]
    fn each_message_says_what_was_demoted_and_by_how_much() {
        assert_eq!(Overflow::of(100, 100), None);
        let over = Overflow::of(130, 100).expect("an overflow");
        let figures = "The packet has 130 tokens, 30 over the ceiling of 100.";
        for (message, demoted) in [
            (over.message(Step::DemotePreviousTurn, 4), "turn 3"),
            (over.message(Step::DemotePrompt, 4), "prompt"),
            (over.message(Step::GiveUp, 4), "turn 3 put into view and the prompt"),
            (over.message(Step::DemotePreviousTurn, 1), "before the first turn"),
            (over.message_after(4), "this turn (4)"),
        ] {
            assert!(message.starts_with(figures) && message.contains(demoted), "{message}");
        }
    }
}
