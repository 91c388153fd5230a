//! The sections of a block.

/// A part of a block under one heading. Only added to: the ledger stores the [`number`](Section::number) of the section that an
/// entry stood in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// What this very session was doing before its context was emptied.
    Recovery,
    /// What memory has learned of the project.
    Notes,
    /// What the person asked for, and something was done about.
    Intents,
    /// What was done in the project.
    Project,
    /// What was done or pinned in other projects.
    Elsewhere,
    /// What the person stated or pinned, and the person's hints that apply.
    Stated,
    /// What agents stated, and their hints that apply.
    StatedByAgents,
    /// Where the work stopped: what the last sessions were about and came to.
    Stopped,
    /// What has words of the prompt.
    Found,
    /// What failed before as a command does or is about to.
    Failed,
    /// What was marked as relevant to a session.
    Context,
    /// What is being tried, and what was.
    Hypothesis,
}

impl Section {
    /// All of them, by their numbers.
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

    /// Its number in the ledger. 0 stands for none.
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
