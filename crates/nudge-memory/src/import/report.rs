//! The result of an import.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::capture::{CapturedEvent, EventBody, Kept};
use nudge_core::Speaker;

/// What was read, stored, already known, and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether this was a dry run. The counts then show what would be stored.
    pub dry_run: bool,
    /// Transcripts that were read; each opencode session counts as one.
    pub files: u64,
    /// Transcripts with nothing new since the last import.
    pub unchanged: u64,
    /// Sessions with anything stored.
    pub sessions: u64,
    /// Prompts that were stored.
    pub prompts: u64,
    /// Thoughts of an agent that were stored.
    pub thoughts: u64,
    /// Observations that were stored.
    pub observations: u64,
    /// Events that were already in the memory.
    pub known: u64,
    /// Events that were already in the memory, with an outcome that is known only now.
    pub settled: u64,
    /// Lines and events that were skipped, by reason.
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

    /// Counts the result for one captured event.
    pub(super) fn count(&mut self, captured: &CapturedEvent, kept: Kept) {
        match (kept, &captured.what) {
            (Kept::Nothing, _) => self.skip("nothing"),
            (Kept::Duplicate, _) => self.known += 1,
            (Kept::Settled(_), _) => self.settled += 1,
            (Kept::Stored(_), what) => {
                match what {
                    EventBody::Prompt { by: Speaker::Agent, .. } => self.thoughts += 1,
                    EventBody::Prompt { .. } | EventBody::Said { .. } => self.prompts += 1,
                    _ => self.observations += 1,
                }
                self.seen.insert(captured.session.clone());
            }
        }
    }

    /// Adds counts made elsewhere.
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
