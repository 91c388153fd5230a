//! Observations: the kinds of things that an agent can be seen to do.

use std::time::Duration;

/// What was observed. The numbers are those of the store and never change.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ObservationKind {
    /// A file was read.
    FileRead = 1,
    /// A whole file was written.
    FileWrite = 2,
    /// Parts of a file were changed.
    FileEdit = 3,
    /// A command ran and, as far as is known, did not fail.
    Command = 4,
    /// A command ran and failed.
    CommandError = 5,
    /// Files or text were searched.
    Search = 6,
    /// A session began, or its context was refilled.
    SessionStart = 8,
    /// A session ended.
    SessionEnd = 9,
    /// A tool of an MCP server was called.
    McpCall = 10,
    /// The context was compacted.
    SessionCompact = 11,
    /// A commit was made.
    GitCommit = 12,
    /// Commits were pushed.
    GitPush = 13,
    /// A subagent was started.
    TaskSpawn = 14,
    /// An address was fetched.
    WebFetch = 15,
    /// The web was searched.
    WebSearch = 16,
    /// The user or an agent made a note.
    Marker = 17,
    /// Any other tool was used.
    ToolOther = 18,
    /// The last thing an agent said in a turn.
    Conclusion = 19,
}

/// The word that selects prompts wherever a kind is accepted; prompts are not observations.
pub const USER_PROMPT: &str = "user_prompt";

impl ObservationKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 18] = [
        Self::FileRead,
        Self::FileWrite,
        Self::FileEdit,
        Self::Command,
        Self::CommandError,
        Self::Search,
        Self::SessionStart,
        Self::SessionEnd,
        Self::McpCall,
        Self::SessionCompact,
        Self::GitCommit,
        Self::GitPush,
        Self::TaskSpawn,
        Self::WebFetch,
        Self::WebSearch,
        Self::Marker,
        Self::ToolOther,
        Self::Conclusion,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileRead => "file_read",
            Self::FileWrite => "file_write",
            Self::FileEdit => "file_edit",
            Self::Command => "command",
            Self::CommandError => "command_error",
            Self::Search => "search",
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
            Self::McpCall => "mcp_call",
            Self::SessionCompact => "session_compact",
            Self::GitCommit => "git_commit",
            Self::GitPush => "git_push",
            Self::TaskSpawn => "task_spawn",
            Self::WebFetch => "web_fetch",
            Self::WebSearch => "web_search",
            Self::Marker => "marker",
            Self::ToolOther => "tool_other",
            Self::Conclusion => "conclusion",
        }
    }

    /// The kind with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The number in the store.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The kind with that number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

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
