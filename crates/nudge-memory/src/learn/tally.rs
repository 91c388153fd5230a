//! Counts what repeats, in any order.

use std::collections::{BTreeSet, HashMap};

use nudge_core::{EntryId, Timestamp};
use nudge_store::{Occurrence, ProjectId, SessionId};

/// The time after which an occurrence counts half.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct HalfLife {
    /// In hours, more than zero.
    pub(crate) hours: f64,
}

impl HalfLife {
    /// A week: last week's work still matters, last season's does not.
    pub(crate) const DEFAULT: Self = Self { hours: 168.0 };

    /// How much one occurrence adds to the heat now: 1 when it is new, halved with each half-life.
    pub(crate) fn heat(self, at: Timestamp, now: Timestamp) -> f64 {
        let age_hours = now.since(at).as_secs_f64() / 3_600.0;
        (-age_hours / self.hours).exp2()
    }
}

/// How often something happened, where and when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tally {
    /// How often it happened.
    pub(crate) count: u64,
    /// The sessions, with the last time in each.
    pub(crate) sessions: HashMap<SessionId, Timestamp>,
    /// The projects.
    pub(crate) projects: BTreeSet<ProjectId>,
    /// The first time.
    pub(crate) first: Timestamp,
    /// The last time.
    pub(crate) last: Timestamp,
    /// How recent the occurrences are, in sum.
    pub(crate) heat: f64,
    /// The newest occurrence.
    pub(crate) newest: Example,
}

/// One occurrence that represents the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) id: EntryId,
    pub(crate) session: SessionId,
    pub(crate) text: String,
    pub(crate) exit: Option<i32>,
    /// The error line.
    pub(crate) line: Option<String>,
}

/// Tallies by a key that is equal for repetitions.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    groups: HashMap<String, Tally>,
}

impl Repeats {
    /// Counts one occurrence under its key.
    pub(crate) fn add(&mut self, key: String, one: &Occurrence, line: Option<&str>, heat: f64) {
        let example = || Example {
            id: one.id,
            session: one.session,
            text: one.text.clone(),
            exit: one.exit,
            line: line.map(Into::into),
        };
        let tally = self.groups.entry(key).or_insert_with(|| Tally {
            count: 0,
            sessions: HashMap::new(),
            projects: BTreeSet::new(),
            first: one.at,
            last: one.at,
            heat: 0.0,
            newest: example(),
        });
        if (one.at, one.id) > (tally.last, tally.newest.id) {
            tally.newest = example();
        }
        tally.count += 1;
        tally.heat += heat;
        tally.first = tally.first.min(one.at);
        tally.last = tally.last.max(one.at);
        let in_session = tally.sessions.entry(one.session).or_insert(one.at);
        *in_session = one.at.max(*in_session);
        tally.projects.insert(one.project);
    }

    /// All tallies, hottest first.
    pub(crate) fn hottest(self) -> Vec<(String, Tally)> {
        let mut groups: Vec<(String, Tally)> = self.groups.into_iter().collect();
        sort(&mut groups);
        groups
    }

    /// Those that occurred at least `threshold` times, hottest first.
    pub(crate) fn repeated(self, threshold: u64) -> Vec<(String, Tally)> {
        let mut groups = self.hottest();
        groups.retain(|(_, tally)| tally.count >= threshold);
        groups
    }
}

impl Tally {
    /// Adds another tally to this one: both are the same thing in different words.
    pub(crate) fn merge(&mut self, other: Self) {
        if (other.last, other.newest.id) > (self.last, self.newest.id) {
            self.newest = other.newest;
        }
        self.count += other.count;
        self.heat += other.heat;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.projects.extend(other.projects);
        for (session, at) in other.sessions {
            let known = self.sessions.entry(session).or_insert(at);
            *known = at.max(*known);
        }
    }
}

/// Sorts hottest first, then newest, then by key, so that the same rows always give the same
/// report.
pub(crate) fn sort(groups: &mut [(String, Tally)]) {
    groups.sort_by(|(one_key, one), (other_key, other)| {
        other.heat.total_cmp(&one.heat).then(other.last.cmp(&one.last)).then_with(|| one_key.cmp(other_key))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn at(id: i64, session: i64, hours_ago: i64) -> Occurrence {
        Occurrence {
            id: EntryId(id),
            session: SessionId(session),
            project: ProjectId(1),
            at: Timestamp::from_millis(NOW - hours_ago * 3_600_000),
            exit: Some(1),
            text: format!("text {id}"),
            response: None,
        }
    }

    const NOW: i64 = 1_794_723_027_123;

    #[test]
    fn heat_halves_with_every_half_life() {
        let now = Timestamp::from_millis(NOW);
        let heat = |hours| HalfLife::DEFAULT.heat(at(1, 1, hours).at, now);
        assert_eq!([heat(0), heat(168), heat(336)], [1.0, 0.5, 0.25]);
        // A time in the future is as hot as now.
        assert_eq!(heat(-5), 1.0);
        assert_eq!(HalfLife { hours: 1.0 }.heat(at(1, 1, 3).at, now), 0.125);
    }

    #[test]
    fn the_order_of_what_comes_does_not_matter() {
        let seen = [at(1, 1, 5), at(2, 1, 3), at(3, 2, 1)];
        let count = |order: [usize; 3]| {
            let mut repeats = Repeats::default();
            for index in order {
                repeats.add("x".to_owned(), &seen[index], None, 1.0);
            }
            repeats.repeated(3)
        };
        let (one, other) = (count([0, 1, 2]), count([2, 0, 1]));
        assert_eq!(one, other);
        let tally = &one[0].1;
        assert_eq!((tally.count, tally.sessions.len(), tally.newest.id), (3, 2, EntryId(3)));
        assert_eq!((tally.first, tally.last), (seen[0].at, seen[2].at));
    }

    #[test]
    fn what_is_rare_is_left_out_and_the_hottest_comes_first() {
        let mut repeats = Repeats::default();
        for (key, id, hours) in
            [("old", 1, 900), ("old", 2, 901), ("new", 3, 1), ("new", 4, 2), ("once", 5, 0)]
        {
            let one = at(id, 1, hours);
            let heat = HalfLife::DEFAULT.heat(one.at, Timestamp::from_millis(NOW));
            repeats.add(key.to_owned(), &one, None, heat);
        }
        let keys: Vec<String> = repeats.repeated(2).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["new", "old"]);
    }
}
