//! Finds the figures that are true of a text which contains them.

use super::cost::count_tokens;
use super::entry::PacketTokens;

/// The figures that a packet shows, and how many digits it writes them with.
#[derive(Copy, Clone, Debug)]
pub(super) struct Numbers {
    /// The figures.
    pub(super) tokens: PacketTokens,
    width: usize,
}

impl Numbers {
    /// Figures for a reader, without leading zeros.
    pub(super) const fn plain(tokens: PacketTokens) -> Self {
        Self { tokens, width: 1 }
    }

    /// A figure that depends on the usage.
    pub(super) fn figure(self, number: u32) -> String {
        format!("{number:0width$}", width = self.width)
    }

    /// The attributes of a block that shows the usage.
    pub(super) fn attributes(self) -> String {
        let PacketTokens { usage, free, .. } = self.tokens;
        format!(" tokenUsage=\"{}\" tokensFree=\"{}\"", self.figure(usage), self.figure(free))
    }
}

/// Numbers of this many digits are all numbers: their cost is the same whatever they are.
const MAX_DIGITS: usize = 10;

/// How often a width is tried.
const MAX_TRIES: usize = 6;

/// The user message whose figures are true, and the figures.
///
/// A text that shows its own cost costs more with each digit of it. A few rounds find the cost that
/// fits. Seldom there is none: one token more takes a digit from what is free, and the text is
/// cheaper again. Then leading zeros keep the number of digits.
pub(super) fn settle(
    system: u32,
    ceiling: u32,
    user_of: impl Fn(Numbers) -> String,
) -> (String, PacketTokens) {
    let settled = (1..=MAX_DIGITS).find_map(|width| settled_with(width, system, ceiling, &user_of));
    settled.expect("numbers of the widest width cost the same, so the second try repeats the first")
}

fn settled_with(
    width: usize,
    system: u32,
    ceiling: u32,
    user_of: impl Fn(Numbers) -> String,
) -> Option<(String, PacketTokens)> {
    let mut tokens = PacketTokens::new(system, ceiling);
    for _ in 0..MAX_TRIES {
        let user = user_of(Numbers { tokens, width });
        let usage = system.saturating_add(count_tokens(&user));
        if usage == tokens.usage {
            return Some((user, tokens));
        }
        tokens = PacketTokens::new(usage, ceiling);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_have_no_fixed_point_get_leading_zeros() {
        // One token of usage more, and what is free loses a digit three times over.
        let text = |numbers: Numbers| {
            let free = numbers.figure(numbers.tokens.free);
            format!("a {free} {free} {free}")
        };
        let padded = (0..3_000).filter(|ceiling| {
            let (user, tokens) = settle(0, *ceiling, text);
            assert_eq!(count_tokens(&user), tokens.usage);
            assert_eq!(tokens.free, ceiling.saturating_sub(tokens.usage));
            user.split(' ').any(|word| word.len() > 1 && word.starts_with('0'))
        });
        assert_eq!(padded.collect::<Vec<_>>(), [1_006, 1_007, 1_008]);
    }
}
