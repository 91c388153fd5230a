//! Upkeep, step by step. No step depends on the one before: a failure is reported, and the next
//! step runs.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use nudge_core::{EntryId, Fault, ObservationKind, Timestamp};
use nudge_home::Home;
use nudge_home::settings::Retention;
use nudge_store::{Aged, DeleteMode, Durability, Pace, SessionId, Store, SweepStop, WalState};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::clock::{self, Jump};
use super::orphans;
use crate::memory::Memory;
use crate::sessions;

/// How long the spool is imported for.
const SPOOL_TIME: Duration = Duration::from_secs(30);

/// How long to wait for readers of the log. Nothing is lost if they stay: the log is emptied
/// another time.
const LOG_TIMEOUT: Duration = Duration::from_millis(200);

/// How long the search index is updated for: ten million entries take about five minutes.
const INDEX_TIME: Duration = Duration::from_secs(10 * 60);

/// How long versions of deleted entries are kept, so that a deletion can be undone.
const DELETED_VERSIONS_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The result of one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Its name.
    pub step: &'static str,
    /// What it did, in numbers.
    pub did: Map<String, Value>,
    /// The longest time it held the write lock, in milliseconds.
    pub held_ms: f64,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The failure itself, for the log.
    #[serde(skip)]
    pub fault: Option<Fault>,
}

/// Whether a user answers for what a sweep removes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// A user asked for all of it, by name.
    Watched,
    /// A server by itself, a command that another program runs, or one without that request.
    Unwatched,
}

/// All steps, as a user requests them.
pub fn maintain(memory: &Memory, home: &Home, now: Timestamp, watch: Watch) -> Vec<Step> {
    let mut steps = vec![step("spool", |_| import_spool_step(memory, home, now))];
    steps.extend(steps_of_upkeep(memory, now, watch));
    steps.push(step("index", |_| update_index(memory, now)));
    steps.push(step("space", |pace| Ok(json!({"pages": memory.store().release_free_pages(pace)?}))));
    steps.push(step("log", |_| {
        let state = memory.store().empty_wal(LOG_TIMEOUT)?;
        Ok(json!({"empty": state == WalState::Empty}))
    }));
    steps
}

/// Only writes the missing summaries of sessions that are over.
pub fn catch_up(memory: &Memory, now: Timestamp) -> Vec<Step> {
    vec![summaries(memory.store(), now)]
}

/// Records that the user says the clock is right: retention counts by it from now on.
pub fn clock_is_right(memory: &Memory, now: Timestamp) -> Result<(), Fault> {
    memory.store().write(Durability::Stated, |writer| Ok(writer.note_clock_right(now)?))
}

/// The steps that a server runs by itself from time to time.
pub fn upkeep(memory: &Memory, now: Timestamp) -> Vec<Step> {
    steps_of_upkeep(memory, now, Watch::Unwatched)
}

fn steps_of_upkeep(memory: &Memory, now: Timestamp, watch: Watch) -> Vec<Step> {
    let store = memory.store();
    // If retention stopped, nothing is removed by age.
    let stopped = Cell::new(false);
    vec![
        summaries(store, now),
        step("retention", |pace| {
            let gone = remove_expired(store, &memory.settings().retention, pace, now, watch)?;
            stopped.set(gone.stopped.is_some());
            let runs = match gone.stopped {
                Some(_) => 0,
                None => remove_old_runs(store, pace, memory.settings().runs.retention_days, now)?,
            };
            Ok(retention_step(&gone, runs))
        }),
        step("leftovers", |pace| {
            if stopped.get() {
                return Ok(json!({"files": 0, "subagents": 0, "sessions": 0}));
            }
            let removed = orphans::clear(store, pace, retention_now(store, now)?)?;
            Ok(json!({"files": removed.files, "subagents": removed.subagents, "sessions": removed.sessions}))
        }),
        step("sweep", |pace| sweep(store, pace, now, stopped.get())),
    ]
}

fn retention_step(gone: &Expired, runs: u64) -> Value {
    let mut did = json!({
        "observations": gone.observations, "prompts": gone.prompts, "runs": runs,
        "kept_pinned": gone.pinned, "kept_unsummarised": gone.unsummarised,
    });
    if let Some(jump) = gone.jump {
        did["counts_from"] = jump.from.to_string().into();
        did["jumped_to"] = jump.to.to_string().into();
    }
    if let Some(stop) = gone.stopped {
        did["stopped"] = json!({"due": stop.due, "kept": stop.kept});
    }
    did
}

/// The time that removal by age counts from, except for hints and stored answers.
fn retention_now(store: &Store, now: Timestamp) -> Result<Timestamp, Fault> {
    store.read(|reader| Ok(clock::read(reader, now)?.now))
}

fn summaries(store: &Store, now: Timestamp) -> Step {
    step("summaries", |pace| Ok(json!({"written": sessions::summarise_due(store, pace, now)?})))
}

fn step(name: &'static str, work: impl FnOnce(&mut Pace) -> Result<Value, Fault>) -> Step {
    let mut pace = Pace::new(DeleteMode::Plain);
    let outcome = work(&mut pace);
    let held_ms = (pace.held.longest.as_secs_f64() * 1e5).round() / 100.0;
    let (did, fault) = match outcome {
        Ok(Value::Object(did)) => (did, None),
        Ok(_) => (Map::new(), None),
        Err(fault) => (Map::new(), Some(fault)),
    };
    Step { step: name, did, held_ms, failed: fault.as_ref().map(|fault| fault.message.clone()), fault }
}

fn import_spool_step(memory: &Memory, home: &Home, now: Timestamp) -> Result<Value, Fault> {
    let taken = memory.import_spool(home, now, Some(Instant::now() + SPOOL_TIME));
    let taken = taken.map_err(|error| {
        Fault::new(nudge_core::FaultKind::Unavailable, "spool", format!("cannot read the spool: {error}"))
            .because(error)
    })?;
    Ok(json!({"kept": taken.kept, "dropped": taken.dropped, "left": taken.left}))
}

fn update_index(memory: &Memory, now: Timestamp) -> Result<Value, Fault> {
    let progress = memory.update_index(INDEX_TIME, now)?;
    Ok(json!({
        "entries": progress.map_or(0, |progress| progress.documents),
        "elsewhere": progress.is_none(),
        "left": progress.is_some_and(|progress| !progress.is_complete),
    }))
}

fn sweep(store: &Store, pace: &mut Pace, now: Timestamp, is_stopped: bool) -> Result<Value, Fault> {
    let (mut hints, mut operations, mut feed) = (0, 0, 0);
    store.write_in_batches(pace, |writer, _| {
        let swept = writer.sweep(now)?;
        hints += swept.hints;
        operations += swept.operations;
        feed += swept.feed_rows;
        Ok::<_, Fault>(swept.hints + swept.feed_rows > 0)
    })?;
    let mut versions = 0;
    if !is_stopped {
        let now = store.read(|reader| clock::for_versions(reader, now))?;
        store.write_in_batches(pace, |writer, _| {
            versions += writer.forget_versions_of_the_gone(now.minus(DELETED_VERSIONS_KEPT))?;
            Ok::<_, Fault>(false)
        })?;
    }
    let drafts = store.remove_abandoned_drafts();
    Ok(json!({
        "hints": hints, "operations": operations, "feed_rows": feed, "versions": versions, "drafts": drafts,
    }))
}

// Removes rows that have been kept for long enough.

/// How many old rows are read between two writes.
const PAGE: u32 = 1_000;

/// An unwatched sweep removes at most one in this many rows.
const MAX_SWEEP_ONE_IN: u64 = 10;

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
fn remove_expired(
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
        let kept = store.read(|reader| Ok::<_, Fault>(reader.event_count()?))?;
        let count = due.let_go.observations + due.let_go.prompts;
        if count.saturating_mul(MAX_SWEEP_ONE_IN) > kept {
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

// Removes runs that ended long ago.

/// How many are read at a time.
const RUNS_PAGE: u32 = 100;

/// One day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes the runs that ended more than this many days ago, and returns how many. A run with forks
/// stays until they are gone: they see its entries.
fn remove_old_runs(store: &Store, pace: &mut Pace, days: u32, now: Timestamp) -> Result<u64, Fault> {
    let before = store.read(|reader| clock::for_runs(reader, now))?.minus(DAY * days);
    let mut removed = 0;
    loop {
        let page = store.read(|reader| reader.runs_ended_before(before, RUNS_PAGE))?;
        let mut gone = 0;
        orphans::each(store, pace, &page, |writer, run| {
            gone += u64::from(writer.remove_ended_run(run.id, before, now)?);
            Ok(())
        })?;
        // A page of runs that all went on meanwhile ends the work, too.
        if gone == 0 {
            return Ok(removed);
        }
        removed += gone;
    }
}
