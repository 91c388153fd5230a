//! What a person says to an agent other than by a prompt.

/// The way in which a person said something, and what it was said to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speech {
    /// The way.
    pub manner: Manner,
    /// What it was said to: the call that was refused, the question, the command.
    pub about: Option<String>,
    /// The program's id of the call that it belongs to.
    pub call: Option<String>,
}

/// The ways in which people say things other than by a prompt.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Manner {
    /// Words typed while refusing a call.
    Refusal,
    /// A message typed while the agent worked.
    Queued,
    /// The answer to a question of the agent.
    Answer,
    /// Words that were sent along with the result of a call.
    Beside,
    /// A command with its arguments.
    Command,
    /// A comment on a plan, whether it was approved or not.
    Plan,
    /// A line that the person had the agent's program run in the shell.
    Shell,
    /// A line that the person had the agent's program write into its notes.
    Note,
}

impl Manner {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Refusal,
        Self::Queued,
        Self::Answer,
        Self::Beside,
        Self::Command,
        Self::Plan,
        Self::Shell,
        Self::Note,
    ];

    /// The word it is stored under.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refusal => "refusal",
            Self::Queued => "queued",
            Self::Answer => "answer",
            Self::Beside => "beside_result",
            Self::Command => "command",
            Self::Plan => "plan_comment",
            Self::Shell => "shell",
            Self::Note => "note",
        }
    }

    /// The one with that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|manner| manner.name() == name)
    }
}
