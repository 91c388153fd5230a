//! Hypotheses: what an agent tries, what it expects, and how that ended.
//!
//! The lists are those of the GHAP record (goal, hypothesis, action, prediction). Each has words
//! for people and programs and numbers for the store; neither ever changes its meaning.

crate::named_enum! {
    /// The state of a hypothesis.
    pub enum Status: u8 {
        /// It is being tried.
        Active = 0 => "active",
        /// It was right.
        Confirmed = 1 => "confirmed",
        /// It was wrong.
        Falsified = 2 => "falsified",
        /// It was abandoned.
        Abandoned = 3 => "abandoned",
    }
}

crate::named_enum! {
    /// The kind of work a hypothesis belongs to.
    pub enum Domain: u8 {
        /// Finding out why something is wrong.
        Debugging = 0 => "debugging",
        /// Changing how something is built.
        Refactoring = 1 => "refactoring",
        /// Building something new.
        Feature = 2 => "feature",
        /// Writing tests.
        Testing = 3 => "testing",
        /// Setting something up.
        Configuration = 4 => "configuration",
        /// Writing documentation.
        Documentation = 5 => "documentation",
        /// Making something faster or smaller.
        Performance = 6 => "performance",
        /// Making something safe.
        Security = 7 => "security",
        /// Making two things work together.
        Integration = 8 => "integration",
    }
}

crate::named_enum! {
    /// How a hypothesis is approached.
    pub enum Strategy: u8 {
        /// Ruling causes out one by one.
        SystematicElimination = 0 => "systematic-elimination",
        /// Trying what might work.
        TrialAndError = 1 => "trial-and-error",
        /// Reading before doing.
        ResearchFirst = 2 => "research-first",
        /// Halving the problem.
        DivideAndConquer = 3 => "divide-and-conquer",
        /// Asking why until the root is found.
        RootCauseAnalysis = 4 => "root-cause-analysis",
        /// Copying how somebody else did it.
        CopyFromSimilar = 5 => "copy-from-similar",
        /// Testing what was taken for granted.
        CheckAssumptions = 6 => "check-assumptions",
        /// Reading what the error says.
        ReadTheError = 7 => "read-the-error",
        /// Asking the user.
        AskUser = 8 => "ask-user",
    }
}

crate::named_enum! {
    /// Why a hypothesis was wrong.
    pub enum RootCause: u8 {
        /// Something was taken for granted that is not true.
        WrongAssumption = 0 => "wrong-assumption",
        /// Something was not known.
        MissingKnowledge = 1 => "missing-knowledge",
        /// Something was not seen.
        Oversight = 2 => "oversight",
        /// The environment was at fault.
        EnvironmentIssue = 3 => "environment-issue",
        /// The symptom pointed elsewhere.
        MisleadingSymptom = 4 => "misleading-symptom",
        /// The fix was right but not enough.
        IncompleteFix = 5 => "incomplete-fix",
        /// The wrong part was looked at.
        WrongScope = 6 => "wrong-scope",
        /// Tests disturbed each other.
        TestIsolation = 7 => "test-isolation",
        /// It was a matter of timing or order.
        TimingIssue = 8 => "timing-issue",
    }
}

crate::named_enum! {
    /// How much an outcome can be relied on.
    pub enum Confidence: u8 {
        /// A test or build run decided it.
        Gold = 0 => "gold",
        /// The agent reported it.
        Silver = 1 => "silver",
        /// The agent reported it about something vague.
        Bronze = 2 => "bronze",
        /// It was abandoned.
        Abandoned = 3 => "abandoned",
    }
}

impl Confidence {
    /// How much an experience of this confidence counts compared with others.
    pub const fn weight(self) -> f32 {
        match self {
            Self::Gold => 1.0,
            Self::Silver => 0.8,
            Self::Bronze => 0.5,
            Self::Abandoned => 0.2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_lead_back() {
        for domain in Domain::ALL {
            assert_eq!(Domain::from_name(domain.name()), Some(domain));
            assert_eq!(Domain::from_number(domain.number()), Some(domain));
        }
        assert_eq!((Domain::ALL.len(), Strategy::ALL.len(), RootCause::ALL.len()), (9, 9, 9));
        assert_eq!(Strategy::from_name("read-the-error"), Some(Strategy::ReadTheError));
        assert_eq!(RootCause::from_name("nonsense"), None);
        assert_eq!(Status::from_number(9), None);
    }
}
