//! Counts and sizes of a memory.

use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_home::Home;
use serde::Serialize;
use serde_json::{Map, Value};

use super::clock;
use crate::capture::drops::{DropReport, Drops};
use crate::capture::spool::Spool;
use crate::memory::Memory;

/// Sizes and counts of a memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// The size of the database, in bytes.
    pub database_bytes: u64,
    /// The size of its log, in bytes.
    pub log_bytes: u64,
    /// The size of the spool, in bytes.
    pub spool_bytes: u64,
    /// How many payloads could not be stored, in total.
    pub drops: u64,
    /// Entries of all kinds.
    pub entries: i64,
    /// Hints.
    pub hints: i64,
    /// Projects.
    pub projects: i64,
    /// Sessions of agents.
    pub sessions: i64,
    /// Prompts.
    pub prompts: i64,
    /// Observations.
    pub observations: i64,
    /// Observations by kind.
    pub kinds: Map<String, Value>,
    /// Observations that are kept for good.
    pub pinned: i64,
    /// Summaries of sessions.
    pub summaries: i64,
    /// Events that were reported more than once and stored once.
    pub duplicates: i64,
    /// When the first session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    /// The session that began last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session: Option<LastSession>,
    /// Why retention keeps more than its days say, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionHold>,
    /// The last two weeks by day, oldest first.
    pub days: Vec<DayCounts>,
}

/// How many days are counted one by one.
const DAYS: u32 = 14;

/// What is stored from a day, and what was lost on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DayCounts {
    /// The day, in UTC.
    pub day: String,
    /// The prompts and observations of that day that are stored.
    pub entries: i64,
    /// How many payloads could not be stored.
    pub lost: usize,
}

fn days(memory: &Memory, drops: &DropReport, now: Timestamp) -> Result<Vec<DayCounts>, Fault> {
    let stored = memory.store().read(|reader| Ok::<_, Fault>(reader.stored_by_day(now, DAYS)?))?;
    let number = |at: Timestamp| at.as_millis().div_euclid(24 * 60 * 60 * 1_000);
    let day = |(ago, entries)| {
        let at = now.minus(Duration::from_secs(ago * 24 * 60 * 60));
        let lost = drops.slots.iter().filter(|dropped| number(dropped.at) == number(at)).count();
        DayCounts { day: at.to_string().chars().take(10).collect(), entries, lost }
    };
    Ok((0..u64::from(DAYS)).rev().zip(stored).map(day).collect())
}

/// What keeps retention from removing old rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetentionHold {
    /// The clock jumped: retention counts from this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts_from: Option<String>,
    /// The time that the clock jumped to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jumped_to: Option<String>,
    /// How many rows an unattended sweep would have removed before it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<u64>,
    /// How many rows there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<u64>,
}

/// The newest session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastSession {
    /// The agent program's own id of it.
    pub session: String,
    /// The agent program.
    pub harness: String,
    /// Its project's name.
    pub project: String,
    /// When it began.
    pub started_at: String,
}

/// Counts everything in a memory and measures its files.
pub fn census(memory: &Memory, home: &Home, now: Timestamp) -> Result<Counts, Fault> {
    let stats = memory.stats()?;
    let census = memory.store().read(|reader| Ok::<_, Fault>(reader.census()?))?;
    // `doctor` reports a record that cannot be read.
    let drops = Drops::of(home).read().unwrap_or_default();
    let mut kinds = census.observations.clone();
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    Ok(Counts {
        database_bytes: stats.database_bytes,
        log_bytes: stats.wal_bytes,
        spool_bytes: Spool::of(home).waiting_bytes(),
        drops: drops.total,
        entries: stats.entries,
        hints: stats.hints,
        projects: census.projects,
        sessions: census.sessions,
        prompts: census.prompts,
        observations: kinds.iter().map(|(_, count)| count).sum(),
        kinds: kinds.into_iter().map(|(kind, count)| (kind.name().to_owned(), count.into())).collect(),
        pinned: census.pinned,
        summaries: census.summaries,
        duplicates: census.duplicates,
        oldest: census.oldest.map(|at: Timestamp| at.to_string()),
        last_session: census.last.map(|last| LastSession {
            session: last.name,
            harness: last.harness,
            project: last.project,
            started_at: last.started_at.to_string(),
        }),
        retention: retention_hold(memory, now)?,
        days: days(memory, &drops, now)?,
    })
}

/// When each agent was last seen, by its name.
pub fn last_seen(memory: &Memory) -> Result<Vec<(String, Timestamp)>, Fault> {
    memory.store().read(|reader| Ok::<_, Fault>(reader.last_seen_harnesses()?))
}

/// What keeps retention from removing old rows, if anything does. A memory that was merely unused
/// for a while is not reported: a wrong clock is only reported after an event shows it.
pub fn retention_hold(memory: &Memory, now: Timestamp) -> Result<Option<RetentionHold>, Fault> {
    let (jump, stop) = memory
        .store()
        .read(|reader| Ok::<_, Fault>((clock::read(reader, now)?.jump, reader.sweep_stop()?)))?;
    let jump = jump.filter(|jump| jump.is_event);
    let hold = RetentionHold {
        counts_from: jump.map(|jump| jump.from.to_string()),
        jumped_to: jump.map(|jump| jump.to.to_string()),
        due: stop.map(|stop| stop.due),
        kept: stop.map(|stop| stop.kept),
    };
    Ok((hold != RetentionHold::default()).then_some(hold))
}
