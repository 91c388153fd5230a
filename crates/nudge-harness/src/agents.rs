//! The agents we know: the one list that a further agent is added to.

mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;
mod qwen;

pub use codex::hash as codex_hash;

use crate::agent::Agent;
use crate::hooks::{Environment, Hooks};
use crate::install::Installer;
use crate::spec::HarnessSpec;
use crate::transcript::{Format, recognise};

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

    /// Those whose transcripts can be told by their lines, the one with the loosest sign last.
    const BY_TRANSCRIPT: [Self; 4] = [Self::Codex, Self::Copilot, Self::Gemini, Self::Claude];

    const fn agent(self) -> &'static Agent {
        match self {
            Self::Claude => &claude::AGENT,
            Self::Codex => &codex::AGENT,
            Self::Opencode => &opencode::AGENT,
            Self::Copilot => &copilot::AGENT,
            Self::Gemini => &gemini::AGENT,
            Self::Qwen => &qwen::AGENT,
            Self::Cline => &cline::AGENT,
            Self::Cursor => &cursor::AGENT,
        }
    }

    /// What is known of it.
    pub const fn spec(self) -> &'static HarnessSpec {
        self.agent().hooks.spec
    }

    /// The word for it in commands and in the store.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// How it writes its transcripts.
    pub const fn transcript(self) -> &'static Format {
        &self.agent().transcript
    }

    /// How Nudge is put into its settings, where that can be done.
    pub const fn installer(self) -> Option<&'static Installer> {
        self.agent().installer.as_ref()
    }

    /// The steps that put Nudge into it by hand, where no installer does; `{nudge}` stands for the program.
    pub const fn by_hand(self) -> &'static [&'static str] {
        self.agent().by_hand
    }

    /// Whether nobody watches it, as far as it tells the processes it starts; `None` when it does
    /// not.
    pub fn is_headless(self, environment: Environment<'_>) -> Option<bool> {
        (self.hooks().headless)(environment)
    }

    pub(crate) const fn hooks(self) -> &'static Hooks {
        &self.agent().hooks
    }

    /// The one with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.name() == name)
    }

    /// The one that an MCP client belongs to, by the name it gives itself. Claude Desktop
    /// (`claude-ai`) and other programs that fire no hooks are nobody here.
    pub fn of_client(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let is_called =
            |harness: &Self| harness.spec().traces.clients.iter().any(|begin| name.starts_with(begin));
        Self::ALL.into_iter().find(is_called)
    }

    /// The one whose transcript begins so, where that can be told.
    pub fn of_transcript(begin: &str) -> Option<Self> {
        recognise(begin, &Self::BY_TRANSCRIPT.map(|harness| (harness, harness.transcript())))
    }
}

impl From<Harness> for &'static Format {
    fn from(harness: Harness) -> Self {
        harness.transcript()
    }
}

#[cfg(test)]
mod tests;
