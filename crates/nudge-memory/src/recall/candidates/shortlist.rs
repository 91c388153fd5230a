//! What was found so far, and how much a row must count to still belong to the best.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

use nudge_core::{EntryId, ObservationKind};
use nudge_store::RowHead;

/// Something that may be told, and how much it counts.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// From 0 to 1.
    pub(crate) score: f64,
    /// What it is.
    pub(crate) glimpse: RowHead,
    /// The number of the file it is about.
    pub(crate) file: Option<i64>,
    /// Whether it lies in the project that was asked about.
    pub(crate) is_here: bool,
}

/// Candidates, and the scores of the best of them.
pub(super) struct Shortlist {
    wanted: usize,
    found: Vec<Candidate>,
    ids: HashSet<EntryId>,
    /// The files that a best score is counted for. One that is found again with a better score counts as before: what is
    /// too little then is too little all the more.
    counted: HashSet<i64>,
    best: BinaryHeap<Reverse<Score>>,
}

impl Shortlist {
    /// An empty one, for so many rows in the end.
    pub(super) fn new(wanted: usize) -> Self {
        let best = BinaryHeap::with_capacity(wanted + 1);
        Self { wanted, found: Vec::new(), ids: HashSet::new(), counted: HashSet::new(), best }
    }

    /// Whether a row with this score cannot be among the best: as many others, each of another file, count more.
    pub(super) fn is_too_little(&self, score: f64) -> bool {
        self.best.len() >= self.wanted && self.best.peek().is_some_and(|Reverse(least)| score < least.0)
    }

    /// Whether it was taken.
    pub(super) fn has(&self, id: EntryId) -> bool {
        self.ids.contains(&id)
    }

    /// Takes one more that was not taken yet.
    pub(super) fn add(&mut self, candidate: Candidate) {
        self.ids.insert(candidate.glimpse.id);
        self.found.push(candidate);
        if candidate.file.is_none_or(|file| self.counted.insert(file)) {
            self.best.push(Reverse(Score(candidate.score)));
            if self.best.len() > self.wanted {
                self.best.pop();
            }
        }
    }

    /// All of them, in no order.
    pub(super) fn into_found(self) -> Vec<Candidate> {
        self.found
    }
}

/// Kinds and files that a row was met of. An older one of the same in the same place counts less.
#[derive(Default)]
pub(super) struct Met(HashSet<(Option<ObservationKind>, i64)>);

impl Met {
    /// Whether one like this was met. What is about no file is like nothing else.
    pub(super) fn has(&self, glimpse: &RowHead, file: Option<i64>) -> bool {
        file.is_some_and(|file| self.0.contains(&(glimpse.kind, file)))
    }

    /// Notes one, and says whether it is the first.
    pub(super) fn insert(&mut self, glimpse: &RowHead, file: Option<i64>) -> bool {
        file.is_none_or(|file| self.0.insert((glimpse.kind, file)))
    }
}

struct Score(f64);

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Score {}

#[cfg(test)]
mod tests {
    use nudge_core::Timestamp;
    use nudge_store::SessionId;

    use super::*;

    fn candidate(score: f64, file: Option<i64>) -> Candidate {
        let glimpse =
            RowHead { id: EntryId(1), session: SessionId(1), kind: None, at: Timestamp::from_millis(0) };
        Candidate { score, glimpse, file, is_here: true }
    }

    #[test]
    fn what_is_too_little_is_told_by_the_best_of_as_many_files() {
        let mut list = Shortlist::new(2);
        list.add(candidate(0.9, Some(1)));
        list.add(candidate(0.8, Some(1)));
        assert!(!list.is_too_little(0.1));
        list.add(candidate(0.5, None));
        assert!(list.is_too_little(0.4) && !list.is_too_little(0.5));
        list.add(candidate(0.7, Some(2)));
        assert!(list.is_too_little(0.6));
        assert_eq!(list.into_found().len(), 4);
    }
}
