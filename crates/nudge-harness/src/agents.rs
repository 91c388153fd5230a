//! The agents we know, by name.

pub mod claude;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod cursor;
pub(crate) mod gemini;
pub(crate) mod opencode;
pub(crate) mod qwen;

use crate::spec::HarnessSpec;

/// An agent's program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Harness {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// opencode.
    Opencode,
    /// GitHub Copilot CLI.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// Cline CLI.
    Cline,
    /// Cursor.
    Cursor,
}

impl Harness {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Opencode,
        Self::Copilot,
        Self::Gemini,
        Self::Qwen,
        Self::Cline,
        Self::Cursor,
    ];

    /// What is known of it.
    pub const fn spec(self) -> &'static HarnessSpec {
        match self {
            Self::Claude => &claude::SPEC,
            Self::Codex => &codex::SPEC,
            Self::Opencode => &opencode::SPEC,
            Self::Copilot => &copilot::SPEC,
            Self::Gemini => &gemini::SPEC,
            Self::Qwen => &qwen::SPEC,
            Self::Cline => &cline::SPEC,
            Self::Cursor => &cursor::SPEC,
        }
    }

    /// The word for it in commands and in the store.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The one with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.name() == name)
    }
}
