//! What became of an import.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::capture::{By, Kept, Moment, What};

/// What was read, kept, known already, and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether nothing was written: the counts are of what would be.
    pub dry_run: bool,
    /// Transcripts that were read; opencode's sessions count as one each.
    pub files: u64,
    /// Transcripts that have nothing new since the last import.
    pub unchanged: u64,
    /// Sessions that something was kept of.
    pub sessions: u64,
    /// Prompts that were kept.
    pub prompts: u64,
    /// Pieces of an agent's thinking that were kept.
    pub thoughts: u64,
    /// Observations that were kept.
    pub observations: u64,
    /// What was in the memory already.
    pub known: u64,
    /// What was in the memory already, and of which it is now known how it ended.
    pub settled: u64,
    /// Lines and events of which nothing was kept, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Files that could not be read, and why.
    pub unreadable: Vec<String>,
    #[serde(skip)]
    pub(super) seen: BTreeSet<String>,
}

impl Report {
    pub(super) fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Counts what became of a moment.
    pub(super) fn count(&mut self, moment: &Moment, kept: Kept) {
        match (kept, &moment.what) {
            (Kept::Nothing, _) => self.skip("nothing"),
            (Kept::Duplicate, _) => self.known += 1,
            (Kept::Settled(_), _) => self.settled += 1,
            (Kept::Stored(_), what) => {
                match what {
                    What::Prompt { by: By::Agent, .. } => self.thoughts += 1,
                    What::Prompt { .. } | What::Said { .. } => self.prompts += 1,
                    _ => self.observations += 1,
                }
                self.seen.insert(moment.session.clone());
            }
        }
    }

    /// Adds what was counted elsewhere.
    pub(super) fn add(&mut self, counted: Self) {
        let Self { prompts, thoughts, observations, known, settled, skipped, seen, .. } = counted;
        self.prompts += prompts;
        self.thoughts += thoughts;
        self.observations += observations;
        self.known += known;
        self.settled += settled;
        for (why, times) in skipped {
            *self.skipped.entry(why).or_default() += times;
        }
        self.seen.extend(seen);
    }
}
