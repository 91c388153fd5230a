//! What a user says to an agent outside a prompt.

/// How the user said something, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speech {
    /// How it was said.
    pub manner: SpeechKind,
    /// What it refers to: the rejected call, the question, the command.
    pub about: Option<String>,
    /// The program's id of the call it belongs to.
    pub call: Option<String>,
}

/// The ways in which users say things outside a prompt.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SpeechKind {
    /// Words typed while rejecting a call.
    Refusal,
    /// A message typed while the agent worked.
    Queued,
    /// The answer to the agent's question.
    Answer,
    /// Words sent along with the result of a call.
    Beside,
    /// A command with its arguments.
    Command,
    /// A comment on a plan, whether it was approved or not.
    Plan,
    /// A line that the user had the agent's program run in the shell.
    Shell,
    /// A line that the user had the agent's program add to its notes.
    Note,
}

impl SpeechKind {
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

    /// The kind stored under that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|manner| manner.name() == name)
    }
}
