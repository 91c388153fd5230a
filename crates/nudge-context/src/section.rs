//! The sections of a block.

nudge_core::named_enum! {
    /// A part of a block under one heading. Variants are only ever added: the ledger stores the
    /// [`number`](Section::number) of an entry's section.
    pub enum Section: u8 {
        /// What this session was doing before its context was emptied.
        Recovery = 1 => "recovery",
        /// What memory has learned about the project.
        Notes = 2 => "notes",
        /// What the user asked for and an agent acted on.
        Intents = 3 => "intents",
        /// What was done in the project.
        Project = 4 => "project",
        /// What was done or pinned in other projects.
        Elsewhere = 5 => "elsewhere",
        /// What the user stated, the user's pinned notes, and the user's hints that apply.
        Stated = 6 => "stated",
        /// What agents stated, what was pinned of their work, and their hints that apply.
        StatedByAgents = 7 => "stated_by_agents",
        /// Where the work stopped: the topics and results of the last sessions.
        Stopped = 8 => "stopped",
        /// Entries with words of the prompt.
        Found = 9 => "found",
        /// Earlier failures like that of the current command.
        Failed = 10 => "failed",
        /// What was marked as relevant to a session.
        Context = 11 => "context",
        /// Current and past hypotheses.
        Hypothesis = 12 => "hypothesis",
        /// Nudge asks the agent whether a prompt states a rule.
        Ask = 13 => "ask",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ledger_stores_keeps_its_meaning() {
        let stored = Section::ALL.map(|section| (section.number(), section.name()));
        let expected = [
            (1, "recovery"),
            (2, "notes"),
            (3, "intents"),
            (4, "project"),
            (5, "elsewhere"),
            (6, "stated"),
            (7, "stated_by_agents"),
            (8, "stopped"),
            (9, "found"),
            (10, "failed"),
            (11, "context"),
            (12, "hypothesis"),
            (13, "ask"),
        ];
        assert_eq!(stored, expected);
        assert!(Section::ALL.iter().all(|section| Section::from_number(section.number()) == Some(*section)));
        assert_eq!(Section::from_number(0), None);
    }
}
