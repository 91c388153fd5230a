//! The words by which sorts of entries are asked for and shown: kinds of observations, and what else is found.

use nudge_core::ObservationKind;
use nudge_core::observation::USER_PROMPT;
use nudge_store::{DocumentSort, Voice};

/// A sort of entry that can be found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    /// The number in the index. Those of observations are their own; the others never change either.
    pub(crate) number: u8,
    /// The word for it.
    pub(crate) name: &'static str,
}

const PROMPT: Sort = Sort { number: 0, name: USER_PROMPT };
const MEMORY: Sort = Sort { number: 100, name: "memory" };
const SUMMARY: Sort = Sort { number: 101, name: "session_summary" };
const THOUGHT: Sort = Sort { number: 102, name: "agent_thought" };
const NOTE: Sort = Sort { number: 103, name: "system_note" };
pub(super) const HINT: Sort = Sort { number: 104, name: "hint" };
pub(super) const STATEMENT: Sort = Sort { number: 105, name: "statement" };

const HYPOTHESIS: Sort = Sort { number: 107, name: "hypothesis" };
const VALUE: Sort = Sort { number: 108, name: "value" };

/// The number in the index of a command that only looked.
pub(super) const LOOK: u8 = 106;

/// What an agent merely looked at; of like hits it comes last.
pub(super) const FAINT: [u8; 3] =
    [ObservationKind::FileRead.number(), ObservationKind::Search.number(), LOOK];

/// Those that are no observations.
const OTHERS: [Sort; 9] = [PROMPT, MEMORY, SUMMARY, THOUGHT, NOTE, HINT, STATEMENT, HYPOTHESIS, VALUE];

impl Sort {
    /// The sort of an entry.
    pub(crate) fn of(sort: DocumentSort) -> Self {
        match sort {
            DocumentSort::Observation(kind) => Self::of_kind(kind.unwrap_or(ObservationKind::ToolOther)),
            DocumentSort::Prompt(Voice::Person) => PROMPT,
            DocumentSort::Prompt(Voice::Agent) => THOUGHT,
            DocumentSort::Prompt(Voice::Program) => NOTE,
            DocumentSort::Summary => SUMMARY,
            DocumentSort::Known => MEMORY,
            DocumentSort::Hypothesis => HYPOTHESIS,
            DocumentSort::Value => VALUE,
        }
    }

    /// The sort that is asked for by this word, if there is one.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let other = OTHERS.into_iter().find(|sort| sort.name == name);
        other.or_else(|| ObservationKind::from_name(name).map(Self::of_kind))
    }

    /// The numbers in the index that a search for this sort takes in.
    pub(crate) fn numbers(self) -> Vec<u8> {
        let look = (self.number == ObservationKind::Command.number()).then_some(LOOK);
        [self.number].into_iter().chain(look).collect()
    }

    const fn of_kind(kind: ObservationKind) -> Self {
        Self { number: kind.number(), name: kind.name() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_has_a_word_and_a_number_of_its_own() {
        let kinds = ObservationKind::ALL.map(Sort::of_kind);
        let all: Vec<Sort> = kinds.into_iter().chain(OTHERS).collect();
        for sort in &all {
            assert_eq!(Sort::named(sort.name), Some(*sort));
            assert_eq!(all.iter().filter(|other| other.number == sort.number).count(), 1);
        }
        assert_eq!(Sort::named("nonsense"), None);
    }
}
