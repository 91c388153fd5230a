//! The names of entry kinds in requests and answers: kinds of observations, and the other kinds
//! that search finds.

use nudge_core::ObservationKind;
use nudge_core::Speaker;
use nudge_core::observation::USER_PROMPT;
use nudge_store::DocumentKind;

/// A kind of entry that search can find.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryKind {
    /// Its number in the index: for an observation the number of its kind. Numbers never change.
    pub(crate) number: u8,
    /// Its name.
    pub(crate) name: &'static str,
}

const PROMPT: EntryKind = EntryKind { number: 0, name: USER_PROMPT };
const MEMORY: EntryKind = EntryKind { number: 100, name: "memory" };
const SUMMARY: EntryKind = EntryKind { number: 101, name: "session_summary" };
const THOUGHT: EntryKind = EntryKind { number: 102, name: "agent_thought" };
const NOTE: EntryKind = EntryKind { number: 103, name: "system_note" };
pub(super) const HINT: EntryKind = EntryKind { number: 104, name: "hint" };
pub(super) const STATEMENT: EntryKind = EntryKind { number: 105, name: "statement" };

const HYPOTHESIS: EntryKind = EntryKind { number: 107, name: "hypothesis" };
const VALUE: EntryKind = EntryKind { number: 108, name: "value" };

/// The index number of a command that only looks at something.
pub(super) const LOOK: u8 = 106;

/// Kinds of entries that an agent only looked at; among equal hits they come last.
pub(super) const FAINT: [u8; 3] =
    [ObservationKind::FileRead.number(), ObservationKind::Search.number(), LOOK];

/// The kinds that are not observations.
const OTHERS: [EntryKind; 9] = [PROMPT, MEMORY, SUMMARY, THOUGHT, NOTE, HINT, STATEMENT, HYPOTHESIS, VALUE];

impl EntryKind {
    /// The kind of an entry.
    pub(crate) fn of(sort: DocumentKind) -> Self {
        match sort {
            DocumentKind::Observation(kind) => Self::of_kind(kind.unwrap_or(ObservationKind::ToolOther)),
            DocumentKind::Prompt(Speaker::Person) => PROMPT,
            DocumentKind::Prompt(Speaker::Agent) => THOUGHT,
            DocumentKind::Prompt(Speaker::Program) => NOTE,
            DocumentKind::Summary => SUMMARY,
            DocumentKind::Known => MEMORY,
            DocumentKind::Hypothesis => HYPOTHESIS,
            DocumentKind::Value => VALUE,
        }
    }

    /// The kind with this name; `None` if there is none.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let other = OTHERS.into_iter().find(|sort| sort.name == name);
        other.or_else(|| ObservationKind::from_name(name).map(Self::of_kind))
    }

    /// The index numbers that a search for this kind covers.
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
        let kinds = ObservationKind::ALL.map(EntryKind::of_kind);
        let all: Vec<EntryKind> = kinds.into_iter().chain(OTHERS).collect();
        for sort in &all {
            assert_eq!(EntryKind::named(sort.name), Some(*sort));
            assert_eq!(all.iter().filter(|other| other.number == sort.number).count(), 1);
        }
        assert_eq!(EntryKind::named("nonsense"), None);
    }
}
