//! The candidates found so far, and how much a row counts and must count to be among the best.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

use nudge_core::{EntryId, ObservationKind, Timestamp};
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

// How relevant a past event still is, without any words to search for.

/// After this many days an event counts half.
const HALF_LIFE_DAYS: f64 = 7.0;

/// The weight of a prompt among the kinds of actions: as little as a file read.
const PROMPT_WEIGHT: f64 = 0.17;

/// The weight of an event in another project, relative to 1 for this project.
const ELSEWHERE_WEIGHT: f64 = 0.3;

const DAY_MS: f64 = 86_400_000.0;

/// Whether something happened in the project asked about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// No project was asked about.
    NotAsked,
    /// In the project that was asked about.
    Here,
    /// In another one.
    Elsewhere,
}

/// From 0 to 1: half of it is age, the rest kind and place.
pub(super) fn score_of(kind: Option<ObservationKind>, at: Timestamp, now: Timestamp, place: Match) -> f64 {
    let recency = recency(at, now);
    let weight = kind.map_or(PROMPT_WEIGHT, ObservationKind::weight);
    match place {
        Match::NotAsked => 0.6 * recency + 0.4 * weight,
        Match::Here => 0.5 * recency + 0.3 * weight + 0.2,
        Match::Elsewhere => 0.5 * recency + 0.3 * weight + 0.2 * ELSEWHERE_WEIGHT,
    }
}

/// 1 for now, a half after seven days, a quarter after fourteen.
fn recency(at: Timestamp, now: Timestamp) -> f64 {
    let age_days = now.since(at).as_millis() as f64 / DAY_MS;
    (-std::f64::consts::LN_2 * age_days / HALF_LIFE_DAYS).exp()
}

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

    const NOW: Timestamp = Timestamp::from_millis(1_794_723_027_123);

    fn days_ago(days: i64) -> Timestamp {
        Timestamp::from_millis(NOW.as_millis() - days * 86_400_000)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn recency_halves_every_seven_days() {
        for (days, expected) in [(0, 1.0), (7, 0.5), (14, 0.25), (21, 0.125), (-3, 1.0)] {
            assert!(close(recency(days_ago(days), NOW), expected), "{days}");
        }
    }

    #[test]
    fn what_happened_where_counts_by_kind_and_place() {
        let edit = Some(ObservationKind::FileEdit);
        let at = |place| score_of(edit, days_ago(7), NOW, place);
        assert!(close(at(Match::Here), 0.25 + 0.3 + 0.2));
        assert!(close(at(Match::Elsewhere), 0.25 + 0.3 + 0.06));
        assert!(close(at(Match::NotAsked), 0.3 + 0.4));
        let new = |kind| score_of(Some(kind), NOW, NOW, Match::NotAsked) - 0.6;
        for (kind, weight) in [
            (ObservationKind::Command, 0.67),
            (ObservationKind::SessionCompact, 0.5),
            (ObservationKind::McpCall, 0.33),
            (ObservationKind::FileRead, 0.17),
        ] {
            assert!(close(new(kind), 0.4 * weight), "{}", kind.name());
        }
        assert!(close(score_of(None, NOW, NOW, Match::NotAsked), 0.6 + 0.4 * 0.17));
    }
}
