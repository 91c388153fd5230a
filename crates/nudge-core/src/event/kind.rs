//! What can happen in an agent's session.

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session began, or its context was filled anew.
    SessionStart {
        /// What began it.
        source: StartSource,
    },
    /// A session is over.
    SessionEnd {
        /// Why, in the program's words.
        reason: Option<String>,
    },
    /// A prompt was submitted.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool has run.
    PostTool,
    /// A tool has run and failed, and the program says so by its event or an error of its own.
    ToolFailure,
    /// The agent ended its turn.
    Stop,
    /// A subagent began.
    SubagentStart,
    /// A subagent ended.
    SubagentStop,
    /// The context is about to be compacted.
    PreCompact {
        /// By whom: `manual` or `auto`.
        trigger: Option<String>,
    },
    /// The context was compacted.
    PostCompact {
        /// By whom: `manual` or `auto`.
        trigger: Option<String>,
    },
    /// The program tells the person something.
    Notification,
    /// Several tool calls at once, each of which has had its own event.
    Batch {
        /// The ids of those calls.
        tool_use_ids: Vec<String>,
    },
    /// Anything else; [`HookEvent::name`](super::HookEvent::name) says what.
    Other,
}

impl EventKind {
    /// A short name, for logs and snapshots.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session_start",
            Self::SessionEnd { .. } => "session_end",
            Self::Prompt => "prompt",
            Self::PreTool => "pre_tool",
            Self::PostTool => "post_tool",
            Self::ToolFailure => "tool_failure",
            Self::Stop => "stop",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop => "subagent_stop",
            Self::PreCompact { .. } => "pre_compact",
            Self::PostCompact { .. } => "post_compact",
            Self::Notification => "notification",
            Self::Batch { .. } => "batch",
            Self::Other => "other",
        }
    }
}

/// What began a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartSource {
    /// A new session.
    Startup,
    /// An old session goes on.
    Resume,
    /// The context was emptied.
    Clear,
    /// The context was compacted.
    Compact,
    /// A copy of an old session goes its own way.
    Fork,
    /// Something this version does not know, or nothing said.
    Other(String),
}

impl StartSource {
    /// Reads the word that programs use.
    pub fn from_word(word: &str) -> Self {
        match word {
            "startup" | "new" => Self::Startup,
            "resume" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            "fork" => Self::Fork,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word for it.
    pub fn word(&self) -> &str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
            Self::Other(word) => word,
        }
    }

    /// Whether the agent has lost what was in its context before.
    pub const fn empties_context(&self) -> bool {
        matches!(self, Self::Clear | Self::Compact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_read_back_and_unknown_ones_are_kept() {
        for word in ["startup", "resume", "clear", "compact", "fork", "teleport", ""] {
            assert_eq!(StartSource::from_word(word).word(), word);
        }
        assert_eq!(StartSource::from_word("new"), StartSource::Startup);
    }

    #[test]
    fn only_clear_and_compact_empty_the_context() {
        let emptied: Vec<_> = ["startup", "resume", "clear", "compact", "fork", "x"]
            .into_iter()
            .filter(|word| StartSource::from_word(word).empties_context())
            .collect();
        assert_eq!(emptied, ["clear", "compact"]);
    }
}
