//! Observations: the kinds of things that an agent can be seen to do.

use std::time::Duration;

crate::named_enum! {
    /// What was observed. The numbers are those of the store and never change.
    pub enum ObservationKind: u8 {
        /// A file was read.
        FileRead = 1 => "file_read",
        /// A whole file was written.
        FileWrite = 2 => "file_write",
        /// Parts of a file were changed.
        FileEdit = 3 => "file_edit",
        /// A command ran and, as far as is known, did not fail.
        Command = 4 => "command",
        /// A command ran and failed.
        CommandError = 5 => "command_error",
        /// Files or text were searched.
        Search = 6 => "search",
        /// A session began, or its context was refilled.
        SessionStart = 8 => "session_start",
        /// A session ended.
        SessionEnd = 9 => "session_end",
        /// A tool of an MCP server was called.
        McpCall = 10 => "mcp_call",
        /// The context was compacted.
        SessionCompact = 11 => "session_compact",
        /// A commit was made.
        GitCommit = 12 => "git_commit",
        /// Commits were pushed.
        GitPush = 13 => "git_push",
        /// A subagent was started.
        TaskSpawn = 14 => "task_spawn",
        /// An address was fetched.
        WebFetch = 15 => "web_fetch",
        /// The web was searched.
        WebSearch = 16 => "web_search",
        /// The user or an agent made a note.
        Marker = 17 => "marker",
        /// Any other tool was used.
        ToolOther = 18 => "tool_other",
        /// The last thing an agent said in a turn.
        Conclusion = 19 => "conclusion",
    }
}

/// The word that selects prompts wherever a kind is accepted; prompts are not observations.
pub const USER_PROMPT: &str = "user_prompt";

impl ObservationKind {
    /// How much one such observation says about the topic of a session, from 0 to 1.
    pub const fn weight(self) -> f64 {
        match self {
            Self::FileEdit | Self::GitCommit | Self::Marker => 1.0,
            Self::Command | Self::CommandError => 0.67,
            Self::SessionCompact => 0.5,
            Self::McpCall => 0.33,
            _ => 0.17,
        }
    }

    /// The time within which a repetition on the same target in the same session says nothing new.
    /// Reads and searches are repeated by habit; anything that changes something is stored each
    /// time.
    pub const fn repeats_within(self) -> Option<Duration> {
        match self {
            Self::FileRead | Self::Search => Some(Duration::from_secs(300)),
            _ => None,
        }
    }

    /// Whether it is an action of the agent, rather than something that happened to its session.
    pub const fn is_action(self) -> bool {
        !matches!(
            self,
            Self::SessionStart | Self::SessionEnd | Self::SessionCompact | Self::Marker | Self::Conclusion
        )
    }

    /// Whether a command ran, for any purpose.
    pub const fn is_command(self) -> bool {
        matches!(self, Self::Command | Self::CommandError | Self::GitCommit | Self::GitPush)
    }

    /// Whether files were changed.
    pub const fn is_file_change(self) -> bool {
        matches!(self, Self::FileEdit | Self::FileWrite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_read_back() {
        for kind in ObservationKind::ALL {
            assert_eq!(ObservationKind::from_name(kind.name()), Some(kind));
            assert_eq!(ObservationKind::from_number(kind.number()), Some(kind));
        }
        assert_eq!(ObservationKind::from_name(USER_PROMPT), None);
        assert_eq!(ObservationKind::from_number(0), None);
    }

    #[test]
    fn every_kind_has_its_weight() {
        let weights = ObservationKind::ALL.map(|kind| (kind.name(), kind.weight()));
        let expected = [
            ("file_read", 0.17),
            ("file_write", 0.17),
            ("file_edit", 1.0),
            ("command", 0.67),
            ("command_error", 0.67),
            ("search", 0.17),
            ("session_start", 0.17),
            ("session_end", 0.17),
            ("mcp_call", 0.33),
            ("session_compact", 0.5),
            ("git_commit", 1.0),
            ("git_push", 0.17),
            ("task_spawn", 0.17),
            ("web_fetch", 0.17),
            ("web_search", 0.17),
            ("marker", 1.0),
            ("tool_other", 0.17),
            ("conclusion", 0.17),
        ];
        assert_eq!(weights, expected);
    }
}
