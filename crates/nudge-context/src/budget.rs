//! How much may be injected at once.

use nudge_core::tokens::{self, Tokens};

/// A limit in tokens, in characters and in bytes, all measured on the finished text. Tokens are
/// counted high, so that the text is within its limit by an agent's own count too.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most tokens.
    pub tokens: Tokens,
    /// The most characters.
    pub characters: usize,
}

/// The most that every agent accepts uncut: the strictest moves longer texts to a file, or rejects
/// them.
const MAX_CHARS: usize = 9_000;

/// The same for agents that count bytes: scripts of three bytes a character reach it first.
const MAX_BYTES: usize = 9_900;

/// The most that can be requested: one agent moves a text to a file when it estimates more than
/// 2,500 tokens.
const MAX_TOKENS: Tokens = Tokens(2_200);

impl Budget {
    /// A new session: enough to know the state of the work, no more than a short instruction file
    /// costs.
    pub const START: Self = Self { tokens: Tokens(500), characters: MAX_CHARS };

    /// After the context was emptied: the agent has lost what it knew.
    pub const RECOVERY: Self = Self { tokens: Tokens(1_000), characters: MAX_CHARS };

    /// With a prompt: a few lines related to it.
    pub const PROMPT: Self = Self { tokens: Tokens(800), characters: MAX_CHARS };

    /// Before or after a command: one line.
    pub const TOOL: Self = Self { tokens: Tokens(200), characters: MAX_CHARS };

    /// A budget of this many tokens, or the most that every agent accepts if that is less.
    pub fn of(tokens: Tokens) -> Self {
        Self { tokens: tokens.min(MAX_TOKENS), characters: MAX_CHARS }
    }

    /// Whether a text fits.
    pub fn fits(&self, text: &str) -> bool {
        text.len() <= MAX_BYTES
            && text.chars().count() <= self.characters
            && tokens::at_most(text) <= self.tokens
    }

    /// The same budget, or less if less was requested. Nobody can request more than agents accept.
    #[must_use]
    pub fn at_most(self, tokens: Tokens) -> Self {
        Self { tokens: self.tokens.min(tokens), ..self }
    }
}
