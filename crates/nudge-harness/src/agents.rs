//! The supported agents. To add an agent, add it to this list.

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

/// A supported agent program.
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
    /// Every agent, in the order they are listed.
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

    /// Agents we can recognise by the lines of a transcript; the one with the weakest marker is
    /// last.
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

    /// The facts about it.
    pub const fn spec(self) -> &'static HarnessSpec {
        self.agent().hooks.spec
    }

    /// Its name in commands and in the store.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The format of its transcripts.
    pub const fn transcript(self) -> &'static Format {
        &self.agent().transcript
    }

    /// Installs Nudge in its settings; `None` where that is not possible.
    pub const fn installer(self) -> Option<&'static Installer> {
        self.agent().installer.as_ref()
    }

    /// Manual steps to install Nudge, for agents without an installer; `{nudge}` is the path of the
    /// program.
    pub const fn manual_steps(self) -> &'static [&'static str] {
        self.agent().manual_steps
    }

    /// Whether it runs unattended, judging by the variables it sets for the processes it starts;
    /// `None` when they do not say.
    pub fn is_headless(self, environment: Environment<'_>) -> Option<bool> {
        (self.hooks().headless)(environment)
    }

    pub(crate) const fn hooks(self) -> &'static Hooks {
        &self.agent().hooks
    }

    /// The agent with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.name() == name)
    }

    /// The agent behind an MCP client, by the name the client reports. Programs that fire no hooks,
    /// such as Claude Desktop (`claude-ai`), give `None`.
    pub fn of_client(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let is_called =
            |harness: &Self| harness.spec().traces.clients.iter().any(|begin| name.starts_with(begin));
        Self::ALL.into_iter().find(is_called)
    }

    /// The agent that wrote a transcript with this beginning; `None` when that cannot be
    /// determined.
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
