//! What can happen in an agent's session.

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session began, or its context was refilled.
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
    /// A tool ran and failed, as reported by the program's event or by an error of its own.
    ToolFailure,
    /// The agent ended its turn.
    Stop,
    /// A subagent began.
    SubagentStart,
    /// A subagent ended.
    SubagentStop,
    /// The context is about to be compacted.
    PreCompact {
        /// What triggered it: `manual` or `auto`.
        trigger: Option<String>,
    },
    /// The context was compacted.
    PostCompact {
        /// What triggered it: `manual` or `auto`.
        trigger: Option<String>,
    },
    /// The program notifies the user.
    Notification,
    /// Several tool calls at once; each has had its own event.
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
    /// An old session was resumed.
    Resume,
    /// The context was emptied.
    Clear,
    /// The context was compacted.
    Compact,
    /// A copy of an old session continues on its own.
    Fork,
    /// An unknown source, or none reported.
    Other(String),
}

impl StartSource {
    /// Parses the word that programs use.
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

    /// Whether the agent lost its previous context.
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
