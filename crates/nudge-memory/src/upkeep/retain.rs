//! Removes rows that have been kept for long enough.

use std::collections::BTreeSet;

use nudge_core::{EntryId, Fault, ObservationKind, Timestamp};
use nudge_store::{Aged, Durability, Pace, SessionId, Store, SweepStop};

use super::clock::{self, Jump};
use super::maintain::Watch;
use super::orphans;
use nudge_home::settings::Retention;

/// How many old rows are read between two writes.
const PAGE: u32 = 1_000;

/// An unwatched sweep removes at most one in this many rows.
const ONE_IN: u64 = 10;

/// What was removed, and what was not.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expired {
    pub(crate) observations: u64,
    pub(crate) prompts: u64,
    /// Old enough, but pinned.
    pub(crate) pinned: u64,
    /// Old enough, but in no summary yet.
    pub(crate) unsummarised: u64,
    /// The jump of the clock that retention does not believe yet.
    pub(crate) jump: Option<Jump>,
    /// Set if nothing was removed because it would have been too much.
    pub(crate) stopped: Option<SweepStop>,
}

/// Removes rows that are older than their kind is kept: only rows that a summary covers, and no
/// pinned ones.
///
/// Ages count from [`clock`]. If nobody watches, nothing is removed when that would be more than a
/// tenth of what is kept.
pub(crate) fn remove_expired(
    store: &Store,
    retention: &Retention,
    pace: &mut Pace,
    now: Timestamp,
    watch: Watch,
) -> Result<Expired, Fault> {
    let (clock, before) =
        store.read(|reader| Ok::<_, Fault>((clock::read(reader, now)?, reader.sweep_stop()?)))?;
    let until = clock.now;
    let mut stopped = None;
    if watch == Watch::Unwatched {
        let due = Work::walk(store, retention, pace, until, Act::Count)?;
        let kept = store.read(|reader| Ok::<_, Fault>(reader.kept_events()?))?;
        let count = due.let_go.observations + due.let_go.prompts;
        if count.saturating_mul(ONE_IN) > kept {
            stopped = Some(SweepStop { at: now, due: count, kept });
        }
    }
    let act = if stopped.is_some() { Act::Leave } else { Act::Remove };
    let mut work = Work::walk(store, retention, pace, until, act)?;
    work.request_summaries()?;
    let let_go = Expired { jump: clock.jump, stopped, ..work.let_go };
    if stopped.is_some() || before.is_some() {
        store.write(Durability::Passive, |writer| Ok::<_, Fault>(writer.note_sweep(stopped.as_ref())?))?;
    }
    Ok(let_go)
}

/// What to do with a row that may be removed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Act {
    Count,
    Leave,
    Remove,
}

struct Work<'w> {
    store: &'w Store,
    pace: &'w mut Pace,
    now: Timestamp,
    act: Act,
    let_go: Expired,
    /// Sessions with rows newer than their summary.
    needs_summary: BTreeSet<SessionId>,
}

impl<'w> Work<'w> {
    fn walk(
        store: &'w Store,
        retention: &Retention,
        pace: &'w mut Pace,
        now: Timestamp,
        act: Act,
    ) -> Result<Self, Fault> {
        let mut work =
            Self { store, pace, now, act, let_go: Expired::default(), needs_summary: BTreeSet::new() };
        for kind in ObservationKind::ALL {
            if let Some(length) = retention.of(kind) {
                work.observations(kind, now.minus(length))?;
            }
        }
        if let Some(length) = retention.of_prompts() {
            work.prompts(now.minus(length))?;
        }
        Ok(work)
    }
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
                    self.needs_summary.insert(aged.session);
                }
            }
        }
        match self.act {
            Act::Count => return Ok(ids.len() as u64),
            Act::Leave => return Ok(0),
            Act::Remove => {}
        }
        let mut removed = 0;
        let now = self.now;
        orphans::each(self.store, self.pace, &ids, |writer, id| {
            removed += u64::from(writer.forget_unpinned(*id, now)?);
            Ok(())
        })?;
        Ok(removed)
    }

    /// Requests new summaries for sessions with late rows; those rows can be removed after that.
    fn request_summaries(&mut self) -> Result<(), Fault> {
        let sessions: Vec<SessionId> = std::mem::take(&mut self.needs_summary).into_iter().collect();
        orphans::each(self.store, self.pace, &sessions, |writer, id| Ok(writer.want_summary(*id)?))?;
        Ok(())
    }
}
