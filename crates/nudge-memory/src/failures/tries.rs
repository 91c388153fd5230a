//! The sessions that ran a command, and in which of them it failed.

use nudge_core::Timestamp;
use nudge_store::{Attempt, SessionId};

/// A session that ran a command.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Try {
    pub(super) session: SessionId,
    /// When it first ran the command.
    pub(super) first: Timestamp,
    /// Whether the command failed there at least once.
    failed: bool,
}

/// The sessions, newest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Tries(Vec<Try>);

impl Tries {
    /// The sessions of these runs. `runs` is newest first.
    pub(super) fn of(runs: &[Attempt]) -> Self {
        let mut tries: Vec<Try> = Vec::new();
        for run in runs {
            match tries.iter_mut().find(|known| known.session == run.session) {
                Some(known) => {
                    known.first = known.first.min(run.at);
                    known.failed |= run.failed;
                }
                None => tries.push(Try { session: run.session, first: run.at, failed: run.failed }),
            }
        }
        Self(tries)
    }

    /// The newest `most` of them.
    pub(super) fn newest(&self, most: usize) -> Self {
        Self(self.0.iter().copied().take(most).collect())
    }

    /// The sessions for which `holds` is true.
    pub(super) fn matching(&self, holds: impl Fn(&Try) -> bool) -> Self {
        Self(self.0.iter().copied().filter(holds).collect())
    }

    /// The number of sessions in which the command failed.
    pub(super) fn failed_count(&self) -> usize {
        self.0.iter().filter(|one| one.failed).count()
    }

    /// The share of sessions in which the command failed.
    pub(super) fn failed_share(&self) -> f64 {
        self.failed_count() as f64 / self.0.len().max(1) as f64
    }

    pub(super) fn has(&self, session: SessionId) -> bool {
        self.0.iter().any(|one| one.session == session)
    }
}
