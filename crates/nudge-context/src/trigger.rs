//! What makes Nudge inject something unasked.

nudge_core::named_enum! {
    /// Why a session may get something now. Variants are only ever added: the ledger stores a
    /// trigger as its [`name`](Trigger::name) and its [`number`](Trigger::number).
    pub enum Trigger {
        /// A session began.
        Start => "startup",
        /// A session began as a copy of another.
        Fork => "fork",
        /// A session was resumed.
        Resume => "resume",
        /// The user emptied the context.
        Clear => "clear",
        /// The agent's program compacted the context.
        Compact => "compact",
        /// The user sent a prompt.
        Prompt => "prompt",
        /// The agent is about to use a tool.
        BeforeTool => "before_tool",
        /// The agent has used a tool.
        AfterTool => "after_tool",
        /// A subagent began.
        Subagent => "subagent",
        /// A run has decided a hypothesis.
        Outcome => "outcome",
    }
}

impl Trigger {
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
        let stored = Trigger::ALL.map(|trigger| (trigger.name(), trigger.number()));
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
        assert!(Trigger::ALL.iter().all(|trigger| Trigger::from_name(trigger.name()) == Some(*trigger)));
    }
}
