//! How much may be said at once.

use nudge_core::tokens::{self, Tokens};

/// A limit in tokens and in characters, both measured on the finished text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most tokens.
    pub tokens: Tokens,
    /// The most characters.
    pub characters: usize,
}

/// What every agent takes whole: the tightest of them moves longer texts to a file, or refuses them.
const CHARACTERS: usize = 9_000;

impl Budget {
    /// A new session: enough to know where the work stands, not more than a short instruction file costs.
    pub const START: Self = Self { tokens: Tokens(500), characters: CHARACTERS };

    /// After the context was emptied: the agent has lost what it knew.
    pub const RECOVERY: Self = Self { tokens: Tokens(1_500), characters: CHARACTERS };

    /// Whether a text fits.
    pub fn fits(&self, text: &str) -> bool {
        text.chars().count() <= self.characters && tokens::estimate(text) <= self.tokens
    }

    /// The same, or less where somebody asked for less. Nobody can ask for more than agents take.
    #[must_use]
    pub fn at_most(self, tokens: Tokens) -> Self {
        Self { tokens: self.tokens.min(tokens), ..self }
    }
}
