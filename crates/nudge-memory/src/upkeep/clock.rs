//! The clock of retention, which allows for a wrong system clock.
//!
//! A wrong clock shows as a jump: an event more than 30 days after the newest one before it.
//! Retention then counts from the older event, until events have arrived on three further days or
//! the user says that the clock is right. So only the four newest days with events matter. A clock
//! that goes back removes nothing by itself, and events in the future are ignored.

use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_store::Reader;

/// The longest time between two events that is not a jump.
const MAX_STEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// On how many further days events must arrive before a jump is believed.
const FURTHER_DAYS: usize = 3;

/// One day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The time that retention counts from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RetentionClock {
    /// Now, or the last event before the jump.
    pub(crate) now: Timestamp,
    /// The jump that is not believed yet.
    pub(crate) jump: Option<Jump>,
}

/// A jump of the clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    /// The last event before it, or when the user last confirmed the clock.
    pub(crate) from: Timestamp,
    /// The first event after it, or now if there is none yet.
    pub(crate) to: Timestamp,
    /// Whether an event came after it.
    pub(crate) is_event: bool,
}

/// The time that retention counts from.
pub(crate) fn read(reader: &Reader<'_>, now: Timestamp) -> Result<RetentionClock, Fault> {
    let vouched = reader.clock_right_at()?.filter(|at| *at <= now);
    let mut clock = RetentionClock { now, jump: None };
    let mut later = Some(Later { at: now, is_event: false });
    let mut before = now.plus(Duration::from_millis(1));
    // The earliest jump counts, so the loop continues after the first one found.
    for _ in 0..=FURTHER_DAYS {
        let Some(newest) = reader.newest_event_before(before)? else { break };
        if let Some(jump) = later.and_then(|later| later.jump_from(newest, vouched)) {
            clock = RetentionClock { now: jump.from, jump: Some(jump) };
        }
        before = day_of(newest);
        later = reader.first_event_from(before)?.map(|at| Later { at, is_event: true });
    }
    Ok(clock)
}

/// The time that the versions of deleted hints count from. If nothing was captured, the newest
/// version shows a jump.
pub(crate) fn for_versions(reader: &Reader<'_>, now: Timestamp) -> Result<Timestamp, Fault> {
    let soon = now.plus(Duration::from_millis(1));
    if reader.newest_event_before(soon)?.is_some() || reader.clock_right_at()?.is_some() {
        return Ok(read(reader, now)?.now);
    }
    let newest = reader.newest_version_before(soon)?;
    Ok(newest.filter(|newest| now.since(*newest) > MAX_STEP).unwrap_or(now))
}

/// The time that old runs count from. If nothing was captured, the newest run shows a jump.
pub(crate) fn for_runs(reader: &Reader<'_>, now: Timestamp) -> Result<Timestamp, Fault> {
    let soon = now.plus(Duration::from_millis(1));
    if reader.newest_event_before(soon)?.is_some() || reader.clock_right_at()?.is_some() {
        return Ok(read(reader, now)?.now);
    }
    let newest = reader.newest_run_before(soon)?;
    Ok(newest.filter(|newest| now.since(*newest) > MAX_STEP).unwrap_or(now))
}

/// The time after a possible jump.
#[derive(Copy, Clone)]
struct Later {
    at: Timestamp,
    is_event: bool,
}

impl Later {
    fn jump_from(self, newest: Timestamp, vouched: Option<Timestamp>) -> Option<Jump> {
        let from = vouched.map_or(newest, |vouched| newest.max(vouched));
        (self.at.since(from) > MAX_STEP).then_some(Jump { from, to: self.at, is_event: self.is_event })
    }
}

/// The start of a time's day (UTC).
fn day_of(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis().div_euclid(DAY_MS) * DAY_MS)
}
