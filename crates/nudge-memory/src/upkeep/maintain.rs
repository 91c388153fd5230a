//! Upkeep, step by step. No step depends on the one before: a failure is reported, and the next
//! step runs.

use std::cell::Cell;
use std::time::{Duration, Instant};

use nudge_core::{Fault, Timestamp};
use nudge_store::{DeleteMode, Durability, Pace, Store, WalState};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{clock, old_runs, orphans, retain};
use crate::memory::Memory;
use crate::sessions;
use nudge_home::Home;

/// How long the spool is imported for.
const SPOOL_FOR: Duration = Duration::from_secs(30);

/// How long to wait for readers of the log. Nothing is lost if they stay: the log is emptied
/// another time.
const LOG_TIMEOUT: Duration = Duration::from_millis(200);

/// How long the search index is updated for: ten million entries take about five minutes.
const INDEX_FOR: Duration = Duration::from_secs(10 * 60);

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
    steps.push(step("index", |_| keep_index(memory, now)));
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
            let gone = retain::remove_expired(store, &memory.settings().retention, pace, now, watch)?;
            stopped.set(gone.stopped.is_some());
            let runs = match gone.stopped {
                Some(_) => 0,
                None => old_runs::remove(store, pace, memory.settings().runs.retention_days, now)?,
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

fn retention_step(gone: &retain::Expired, runs: u64) -> Value {
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
    let taken = memory.import_spool(home, now, Some(Instant::now() + SPOOL_FOR));
    let taken = taken.map_err(|error| {
        Fault::new(nudge_core::FaultKind::Unavailable, "spool", format!("cannot read the spool: {error}"))
            .because(error)
    })?;
    Ok(json!({"kept": taken.kept, "dropped": taken.dropped, "left": taken.left}))
}

fn keep_index(memory: &Memory, now: Timestamp) -> Result<Value, Fault> {
    let progress = memory.keep_index(INDEX_FOR, now)?;
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
