//! The sections of a block.

/// A part of a block under one heading. Variants are only ever added: the ledger stores the
/// [`number`](Section::number) of an entry's section.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// What this session was doing before its context was emptied.
    Recovery,
    /// What memory has learned about the project.
    Notes,
    /// What the user asked for and an agent acted on.
    Intents,
    /// What was done in the project.
    Project,
    /// What was done or pinned in other projects.
    Elsewhere,
    /// What the user stated, the user's pinned notes, and the user's hints that apply.
    Stated,
    /// What agents stated, what was pinned of their work, and their hints that apply.
    StatedByAgents,
    /// Where the work stopped: the topics and results of the last sessions.
    Stopped,
    /// Entries with words of the prompt.
    Found,
    /// Earlier failures like that of the current command.
    Failed,
    /// What was marked as relevant to a session.
    Context,
    /// Current and past hypotheses.
    Hypothesis,
}

impl Section {
    /// All sections, by number.
    pub const ALL: [Self; 12] = [
        Self::Recovery,
        Self::Notes,
        Self::Intents,
        Self::Project,
        Self::Elsewhere,
        Self::Stated,
        Self::StatedByAgents,
        Self::Stopped,
        Self::Found,
        Self::Failed,
        Self::Context,
        Self::Hypothesis,
    ];

    /// Its number in the ledger. 0 means none.
    pub const fn number(self) -> u8 {
        match self {
            Self::Recovery => 1,
            Self::Notes => 2,
            Self::Intents => 3,
            Self::Project => 4,
            Self::Elsewhere => 5,
            Self::Stated => 6,
            Self::StatedByAgents => 7,
            Self::Stopped => 8,
            Self::Found => 9,
            Self::Failed => 10,
            Self::Context => 11,
            Self::Hypothesis => 12,
        }
    }

    /// The section of that number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.number() == number)
    }

    /// Its name, for people and programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Notes => "notes",
            Self::Intents => "intents",
            Self::Project => "project",
            Self::Elsewhere => "elsewhere",
            Self::Stated => "stated",
            Self::StatedByAgents => "stated_by_agents",
            Self::Stopped => "stopped",
            Self::Found => "found",
            Self::Failed => "failed",
            Self::Context => "context",
            Self::Hypothesis => "hypothesis",
        }
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
        ];
        assert_eq!(stored, expected);
        assert!(Section::ALL.iter().all(|section| Section::from_number(section.number()) == Some(*section)));
        assert_eq!(Section::from_number(0), None);
    }
}
