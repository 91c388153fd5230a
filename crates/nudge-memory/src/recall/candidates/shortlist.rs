//! The candidates found so far, and how much a row must count to be among the best.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

use nudge_core::{EntryId, ObservationKind};
use nudge_store::RowHead;

/// A row that may be returned, and how much it counts.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// From 0 to 1.
    pub(crate) score: f64,
    /// The row.
    pub(crate) head: RowHead,
    /// The number of the file it is about.
    pub(crate) file: Option<i64>,
    /// Whether it is in the project asked about.
    pub(crate) is_here: bool,
}

/// Candidates, and the scores of the best of them.
pub(super) struct Shortlist {
    wanted: usize,
    found: Vec<Candidate>,
    ids: HashSet<EntryId>,
    /// The files that a best score is counted for. A file found again with a better score keeps its
    /// old one: the threshold is then only lower than it could be.
    counted: HashSet<i64>,
    best: BinaryHeap<Reverse<Score>>,
}

impl Shortlist {
    /// An empty list, for this many rows in the end.
    pub(super) fn new(wanted: usize) -> Self {
        let best = BinaryHeap::with_capacity(wanted + 1);
        Self { wanted, found: Vec::new(), ids: HashSet::new(), counted: HashSet::new(), best }
    }

    /// Whether a row with this score cannot be among the best: enough others, each about another
    /// file, count more.
    pub(super) fn is_too_little(&self, score: f64) -> bool {
        self.best.len() >= self.wanted && self.best.peek().is_some_and(|Reverse(least)| score < least.0)
    }

    /// Whether the entry is in the list.
    pub(super) fn has(&self, id: EntryId) -> bool {
        self.ids.contains(&id)
    }

    /// Adds a candidate that is not in the list yet.
    pub(super) fn add(&mut self, candidate: Candidate) {
        self.ids.insert(candidate.head.id);
        self.found.push(candidate);
        if candidate.file.is_none_or(|file| self.counted.insert(file)) {
            self.best.push(Reverse(Score(candidate.score)));
            if self.best.len() > self.wanted {
                self.best.pop();
            }
        }
    }

    /// All candidates, in no order.
    pub(super) fn into_found(self) -> Vec<Candidate> {
        self.found
    }
}

/// Pairs of kind and file already seen. An older row with the same pair in the same place counts
/// less.
#[derive(Default)]
pub(super) struct SeenFiles(HashSet<(Option<ObservationKind>, i64)>);

impl SeenFiles {
    /// Whether such a row was seen. A row about no file is never the same as another.
    pub(super) fn has(&self, head: &RowHead, file: Option<i64>) -> bool {
        file.is_some_and(|file| self.0.contains(&(head.kind, file)))
    }

    /// Adds a row; true if it is the first of its kind and file.
    pub(super) fn insert(&mut self, head: &RowHead, file: Option<i64>) -> bool {
        file.is_none_or(|file| self.0.insert((head.kind, file)))
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
        let head =
            RowHead { id: EntryId(1), session: SessionId(1), kind: None, at: Timestamp::from_millis(0) };
        Candidate { score, head, file, is_here: true }
    }

    #[test]
    fn what_is_too_little_is_reported_by_the_best_of_as_many_files() {
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
