//! Files that are changed in the same sessions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nudge_core::Timestamp;
use nudge_store::{EditedFile, ProjectId, SessionId};

/// A session that changed more files than this says nothing about which belong together.
const MANY: usize = 30;

/// The files that each session changed.
#[derive(Debug, Default)]
pub(super) struct Sessions(HashMap<(SessionId, ProjectId), (BTreeSet<String>, Timestamp)>);

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
        files.insert(one.path);
        *last = (*last).max(one.at);
    }

    /// The pairs that were changed together in at least `threshold` sessions, and in most of those
    /// that changed either of them; the most frequent first.
    pub(super) fn pairs(self, threshold: u64) -> Vec<Pair> {
        let mut alone: BTreeMap<(i64, &str), u64> = BTreeMap::new();
        let mut both: BTreeMap<(i64, &str, &str), (u64, Timestamp)> = BTreeMap::new();
        for ((_, project), (files, last)) in &self.0 {
            for file in files {
                *alone.entry((project.0, file)).or_default() += 1;
            }
            if files.len() > MANY {
                continue;
            }
            let files: Vec<&String> = files.iter().collect();
            for (at, one) in files.iter().enumerate() {
                for other in &files[at + 1..] {
                    let seen = both.entry((project.0, one, other)).or_insert((0, *last));
                    *seen = (seen.0 + 1, seen.1.max(*last));
                }
            }
        }
        let count = |project: i64, file: &str| alone.get(&(project, file)).copied().unwrap_or_default();
        let pair = |((project, one, other), (both, last)): ((i64, &str, &str), (u64, Timestamp))| {
            let either = count(project, one) + count(project, other) - both;
            let files = [one.to_owned(), other.to_owned()];
            Pair { project: ProjectId(project), files, both, either, last }
        };
        let mut pairs: Vec<Pair> = both.into_iter().map(pair).collect();
        pairs.retain(|pair| pair.both >= threshold && pair.both * 2 > pair.either);
        pairs.sort_by(|a, b| b.both.cmp(&a.both).then(b.last.cmp(&a.last)).then(a.files.cmp(&b.files)));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(sessions: &[&[&str]]) -> Vec<(String, u64, u64)> {
        let mut all = Sessions::default();
        for (at, files) in sessions.iter().enumerate() {
            for path in *files {
                let session = SessionId(i64::try_from(at).expect("few"));
                let at = Timestamp::from_millis(session.0);
                all.add(EditedFile { session, project: ProjectId(1), at, path: (*path).to_owned() });
            }
        }
        all.pairs(3).into_iter().map(|pair| (pair.files.join("+"), pair.both, pair.either)).collect()
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
