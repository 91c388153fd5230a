//! Letting go of what has been kept for long enough.

use std::collections::BTreeSet;

use nudge_core::{EntryId, Fault, ObservationKind, Timestamp};
use nudge_store::{Aged, Pace, SessionId, Store};

use super::leftovers;
use super::retention::Retention;

/// How many old rows are looked at between two writes.
const PAGE: u32 = 1_000;

/// What was let go, and what was not.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LetGo {
    pub(crate) observations: u64,
    pub(crate) prompts: u64,
    /// Old enough, but pinned.
    pub(crate) pinned: u64,
    /// Old enough, but in no summary yet.
    pub(crate) unsummarised: u64,
}

/// Removes what is older than its kind is kept: only what a summary has taken in, and nothing that is pinned.
pub(crate) fn let_go(
    store: &Store,
    retention: &Retention,
    pace: &mut Pace,
    now: Timestamp,
) -> Result<LetGo, Fault> {
    let mut work = Work { store, pace, now, let_go: LetGo::default(), wanting: BTreeSet::new() };
    for kind in ObservationKind::ALL {
        if let Some(length) = retention.of(kind) {
            work.observations(kind, now.minus(length))?;
        }
    }
    if let Some(length) = retention.of_prompts() {
        work.prompts(now.minus(length))?;
    }
    work.want_summaries()?;
    Ok(work.let_go)
}

struct Work<'w> {
    store: &'w Store,
    pace: &'w mut Pace,
    now: Timestamp,
    let_go: LetGo,
    /// Sessions with something that came after their summary.
    wanting: BTreeSet<SessionId>,
}

impl Work<'_> {
    fn observations(&mut self, kind: ObservationKind, before: Timestamp) -> Result<(), Fault> {
        let mut after: Option<Aged> = None;
        loop {
            let page =
                self.store.read(|reader| reader.aged_observations(kind, before, after.as_ref(), PAGE))?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = Some(*last);
            self.let_go.observations += self.remove(&page)?;
        }
    }

    fn prompts(&mut self, before: Timestamp) -> Result<(), Fault> {
        let mut after = SessionId(0);
        loop {
            let sessions = self.store.read(|reader| reader.agent_sessions_after(after, PAGE))?;
            let Some(last) = sessions.last() else {
                return Ok(());
            };
            after = last.id;
            for session in sessions.iter().filter(|session| session.started_at < before) {
                let page = self.store.read(|reader| reader.aged_prompts(session.id, before))?;
                self.let_go.prompts += self.remove(&page)?;
            }
        }
    }

    fn remove(&mut self, page: &[Aged]) -> Result<u64, Fault> {
        let mut ids: Vec<EntryId> = Vec::new();
        for aged in page {
            match (aged.pinned, aged.summed_up) {
                (true, _) => self.let_go.pinned += 1,
                (false, true) => ids.push(aged.id),
                (false, false) => {
                    self.let_go.unsummarised += 1;
                    self.wanting.insert(aged.session);
                }
            }
        }
        let mut removed = 0;
        let now = self.now;
        leftovers::each(self.store, self.pace, &ids, |writer, id| {
            removed += u64::from(writer.forget_unpinned(*id, now)?);
            Ok(())
        })?;
        Ok(removed)
    }

    /// What came late is summed up at the next opportunity, and can go after that.
    fn want_summaries(&mut self) -> Result<(), Fault> {
        let sessions: Vec<SessionId> = std::mem::take(&mut self.wanting).into_iter().collect();
        leftovers::each(self.store, self.pace, &sessions, |writer, id| Ok(writer.want_summary(*id)?))?;
        Ok(())
    }
}
