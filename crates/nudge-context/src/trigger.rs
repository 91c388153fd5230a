//! What makes Nudge inject something unasked.

/// Why a session may get something now. Variants are only ever added: the ledger stores a trigger
/// as its [`word`](Trigger::word) and its [`number`](Trigger::number).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A session began.
    Start,
    /// A session began as a copy of another.
    Fork,
    /// A session was resumed.
    Resume,
    /// The user emptied the context.
    Clear,
    /// The agent's program compacted the context.
    Compact,
    /// The user sent a prompt.
    Prompt,
    /// The agent is about to use a tool.
    BeforeTool,
    /// The agent has used a tool.
    AfterTool,
    /// A subagent began.
    Subagent,
    /// A run has decided a hypothesis.
    Outcome,
}

impl Trigger {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Start,
        Self::Fork,
        Self::Resume,
        Self::Clear,
        Self::Compact,
        Self::Prompt,
        Self::BeforeTool,
        Self::AfterTool,
        Self::Subagent,
        Self::Outcome,
    ];

    /// Its word in the ledger.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Start => "startup",
            Self::Fork => "fork",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Prompt => "prompt",
            Self::BeforeTool => "before_tool",
            Self::AfterTool => "after_tool",
            Self::Subagent => "subagent",
            Self::Outcome => "outcome",
        }
    }

    /// The trigger with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trigger| trigger.word() == word)
    }

    /// The number of its kind of block in the ledger.
    pub const fn number(self) -> u8 {
        match self {
            Self::Start | Self::Fork | Self::Resume => 1,
            Self::Clear | Self::Compact => 2,
            Self::Prompt => 3,
            Self::BeforeTool => 4,
            Self::AfterTool => 5,
            Self::Subagent => 6,
            Self::Outcome => 7,
        }
    }

    /// Whether the context was emptied: the session lost what it knew and gets it again.
    pub const fn is_recovery(self) -> bool {
        matches!(self, Self::Clear | Self::Compact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ledger_stores_keeps_its_meaning() {
        let stored = Trigger::ALL.map(|trigger| (trigger.word(), trigger.number()));
        let expected = [
            ("startup", 1),
            ("fork", 1),
            ("resume", 1),
            ("clear", 2),
            ("compact", 2),
            ("prompt", 3),
            ("before_tool", 4),
            ("after_tool", 5),
            ("subagent", 6),
            ("outcome", 7),
        ];
        assert_eq!(stored, expected);
        assert!(Trigger::ALL.iter().all(|trigger| Trigger::from_word(trigger.word()) == Some(*trigger)));
    }
}
