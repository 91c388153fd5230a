//! Counts what repeats, in any order: requests, and files that change together.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use nudge_core::{EntryId, Timestamp};
use nudge_store::{EditedFile, Occurrence, PathId, ProjectId, SessionId};

use crate::sessions::summary::{keywords, likeness};

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

    /// Those that occurred at least `threshold` times, hottest first.
    pub(crate) fn repeated(self, threshold: u64) -> Vec<(String, Tally)> {
        let mut groups: Vec<(String, Tally)> =
            self.groups.into_iter().filter(|(_, tally)| tally.count >= threshold).collect();
        groups.sort_by(hotter);
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

/// The order of a report: hottest first, then newest, then by key, so that the same rows always
/// give the same report.
fn hotter((one_key, one): &(String, Tally), (other_key, other): &(String, Tally)) -> Ordering {
    other.heat.total_cmp(&one.heat).then(other.last.cmp(&one.last)).then_with(|| one_key.cmp(other_key))
}

// Repeated requests: prompts with the same keywords.

/// A prompt with fewer keywords than this ("yes", "go on") is not a request of its own.
const MIN_WORDS: usize = 2;

/// In a script without spaces, one word of at least this many letters can be a whole sentence.
const MIN_LETTERS: usize = 4;

/// How many wordings, hottest first, are compared with one another.
const MAX_COMPARED: usize = 500;

/// The lowest similarity at which two wordings are the same intent.
const MIN_SIMILARITY: f64 = 0.75;

/// The keywords that identify a prompt; `None` if it is not a request.
pub(crate) fn intent_key(prompt: &str) -> Option<String> {
    let words = keywords(prompt);
    let sentence = || words.iter().any(|word| !word.is_ascii() && word.chars().count() >= MIN_LETTERS);
    (words.len() >= MIN_WORDS || sentence()).then(|| words.into_iter().collect::<Vec<_>>().join(" "))
}

/// The intents that occurred at least `threshold` times, hottest first. Nearly the same words count
/// as the same.
pub(crate) fn repeated_intents(repeats: Repeats, threshold: u64) -> Vec<(String, Tally)> {
    let mut wordings: Vec<(String, Tally)> = repeats.groups.into_iter().collect();
    // Most wordings are unique: they need no order.
    if wordings.len() > MAX_COMPARED {
        wordings.select_nth_unstable_by(MAX_COMPARED, hotter);
    }
    let rest = wordings.split_off(wordings.len().min(MAX_COMPARED));
    wordings.sort_by(hotter);
    let mut intents: Vec<(BTreeSet<String>, String, Tally)> = Vec::new();
    for (key, tally) in wordings {
        let words: BTreeSet<String> = key.split(' ').map(Into::into).collect();
        let is_alike = |known: &BTreeSet<String>| {
            let (fewer, more) = (known.len().min(words.len()), known.len().max(words.len()));
            // They share at most the fewer words: most wordings need no closer look.
            fewer as f64 >= more as f64 * MIN_SIMILARITY && likeness(known, &words) >= MIN_SIMILARITY
        };
        match intents.iter_mut().find(|(known, _, _)| is_alike(known)) {
            Some((_, _, known)) => known.merge(tally),
            None => intents.push((words, key, tally)),
        }
    }
    let mut all: Vec<(String, Tally)> =
        intents.into_iter().map(|(_, key, tally)| (key, tally)).chain(rest).collect();
    all.retain(|(_, tally)| tally.count >= threshold);
    all.sort_by(hotter);
    all
}

// Files that are changed in the same sessions.

/// A session that changed more files than this says nothing about which belong together.
const MAX_FILES_TOGETHER: usize = 30;

/// The files that each session changed.
#[derive(Debug, Default)]
pub(super) struct Sessions(HashMap<(SessionId, ProjectId), (BTreeSet<PathId>, Timestamp)>);

/// Two files that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) project: ProjectId,
    pub(super) files: [String; 2],
    /// In how many sessions both were changed.
    pub(super) both: u64,
    /// In how many sessions at least one was changed.
    pub(super) either: u64,
    pub(super) last: Timestamp,
}

impl Sessions {
    pub(super) fn add(&mut self, one: EditedFile) {
        let (files, last) = self.0.entry((one.session, one.project)).or_insert((BTreeSet::new(), one.at));
        files.insert(one.file);
        *last = (*last).max(one.at);
    }

    /// The pairs that were changed together in at least `threshold` sessions, and in most of those
    /// that changed either of them; the most frequent first.
    pub(super) fn pairs<E>(
        self,
        threshold: u64,
        path: impl Fn(PathId) -> Result<String, E>,
    ) -> Result<Vec<Pair>, E> {
        let mut alone: HashMap<(ProjectId, PathId), u64> = HashMap::new();
        let mut both: HashMap<(ProjectId, PathId, PathId), (u64, Timestamp)> = HashMap::new();
        for ((_, project), (files, last)) in &self.0 {
            for file in files {
                *alone.entry((*project, *file)).or_default() += 1;
            }
            if files.len() > MAX_FILES_TOGETHER {
                continue;
            }
            for one in files {
                for other in files.range((Bound::Excluded(*one), Bound::Unbounded)) {
                    let seen = both.entry((*project, *one, *other)).or_insert((0, *last));
                    *seen = (seen.0 + 1, seen.1.max(*last));
                }
            }
        }
        let mut pairs = Vec::new();
        for ((project, one, other), (both, last)) in both {
            let count = |file| alone.get(&(project, file)).copied().unwrap_or_default();
            let either = count(one) + count(other) - both;
            if both >= threshold && both * 2 > either {
                let mut files = [path(one)?, path(other)?];
                files.sort_unstable();
                pairs.push(Pair { project, files, both, either, last });
            }
        }
        pairs.sort_by(|a, b| {
            let order = b.both.cmp(&a.both).then(b.last.cmp(&a.last)).then_with(|| a.files.cmp(&b.files));
            order.then(a.project.cmp(&b.project))
        });
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use nudge_core::{EntryId, Timestamp};
    use nudge_store::{Occurrence, ProjectId, SessionId};

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

    fn found(prompts: &[&str]) -> Vec<(String, u64)> {
        let mut repeats = Repeats::default();
        for (id, text) in (1..).zip(prompts) {
            let one = Occurrence {
                id: EntryId(id),
                session: SessionId(id),
                project: ProjectId(1),
                at: Timestamp::from_millis(id),
                exit: None,
                text: (*text).to_owned(),
                response: None,
            };
            if let Some(key) = intent_key(text) {
                repeats.add(key, &one, None, 1.0);
            }
        }
        repeated_intents(repeats, 2).into_iter().map(|(key, tally)| (key, tally.count)).collect()
    }

    #[test]
    fn the_same_request_in_other_words_is_one() {
        let asked = found(&[
            "please fix the failing parser tests",
            "fix failing parser tests!",
            "fix the failing parser tests again, quickly",
            "yes",
            "yes",
            "go on",
            "draw a map of the router",
        ]);
        assert_eq!(asked, [("failing fix parser tests".to_owned(), 3)]);
    }

    #[test]
    fn scripts_without_spaces_ask_too() {
        assert_eq!(found(&["修复失败的测试", "修复失败的测试"]).len(), 1);
    }

    /// The numbers of the files are not in the order of their names.
    fn pairs(sessions: &[&[&str]]) -> Vec<(String, u64, u64)> {
        let names: BTreeSet<&str> = sessions.concat().into_iter().collect();
        let names: Vec<&str> = names.into_iter().rev().collect();
        let mut all = Sessions::default();
        for (session, files) in (0..).zip(sessions) {
            for name in *files {
                let file = PathId((0..).zip(&names).find(|(_, known)| *known == name).expect("a name").0);
                let (session, at) = (SessionId(session), Timestamp::from_millis(session));
                all.add(EditedFile { session, project: ProjectId(1), at, file });
            }
        }
        let name = |file: PathId| {
            let found = usize::try_from(file.0).ok().and_then(|at| names.get(at));
            found.map(|name| (*name).to_owned()).ok_or("no such file")
        };
        let found = all.pairs(3, name).expect("all have names");
        found.into_iter().map(|pair| (pair.files.join("+"), pair.both, pair.either)).collect()
    }

    #[test]
    fn files_that_are_mostly_changed_together_are_reported() {
        let together = pairs(&[&["a", "b"], &["a", "b", "c"], &["b", "a"], &["a"], &["c"], &["c"]]);
        assert_eq!(together, [("a+b".to_owned(), 3, 4)]);
        assert_eq!(pairs(&[&["a", "b"], &["a", "b"]]), [], "twice is chance");
        let alone = [&["a", "b"][..], &["a", "b"], &["a", "b"], &["a"], &["a"], &["a"]];
        assert_eq!(pairs(&alone), [], "one of them mostly changes alone");
    }

    #[test]
    fn a_session_that_changed_everything_says_nothing() {
        let names: Vec<String> = (0..40).map(|at| at.to_string()).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(pairs(&[&all, &all, &all, &all]), []);
    }
}
