//! What the store knows about the clock: when events happened, and when the user confirmed it.

use nudge_core::Timestamp;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::intern::PROMPT_SCHEME;
use crate::tables::writer::Writer;

/// Up to when the user confirmed the clock, in milliseconds.
const CLOCK_RIGHT_AT: &str = "clock_right_at";

/// The last sweep that stopped: when, how many rows were due, how many there were.
const SWEEP_STOPPED: &str = "sweep_stopped";

/// The newest event before a time. One seek for each kind and one for the prompts.
pub(crate) const NEWEST_EVENT_BEFORE: &str = "SELECT max(at) FROM (
    SELECT (SELECT max(o.at) FROM observation o WHERE o.kind = k.value AND o.at < ?1) AS at
      FROM json_each(?2) k
    UNION ALL
    SELECT max(e.updated_at) FROM entry e
     WHERE e.scheme_id = (SELECT id FROM scheme WHERE name = ?3) AND e.updated_at < ?1)";

/// The first event at or after a time.
pub(crate) const FIRST_EVENT_FROM: &str = "SELECT min(at) FROM (
    SELECT (SELECT min(o.at) FROM observation o WHERE o.kind = k.value AND o.at >= ?1) AS at
      FROM json_each(?2) k
    UNION ALL
    SELECT min(e.updated_at) FROM entry e
     WHERE e.scheme_id = (SELECT id FROM scheme WHERE name = ?3) AND e.updated_at >= ?1)";

/// A sweep that stopped because it would have removed too much at once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SweepStop {
    /// When it stopped.
    pub at: Timestamp,
    /// How many rows it would have removed.
    pub due: u64,
    /// How many rows there were.
    pub kept: u64,
}

impl Reader<'_> {
    /// The time of the newest observation or prompt before a given time.
    pub fn newest_event_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.event(NEWEST_EVENT_BEFORE, before)
    }

    /// The time of the first observation or prompt at or after a given time.
    pub fn first_event_from(&self, from: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.event(FIRST_EVENT_FROM, from)
    }

    /// When the newest past version of a hint before a given time was replaced.
    pub fn newest_version_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let found: Option<i64> = self
            .sql("SELECT max(ended_at) FROM past_version WHERE ended_at < ?1")?
            .query_row([before.as_millis()], |row| row.get(0))?;
        Ok(found.map(Timestamp::from_millis))
    }

    fn event(&self, sql: &str, at: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let kinds: Vec<u8> = nudge_core::ObservationKind::ALL.into_iter().map(|kind| kind.number()).collect();
        let kinds = format!("{kinds:?}");
        let found: Option<i64> =
            self.sql(sql)?.query_row((at.as_millis(), kinds, PROMPT_SCHEME), |row| row.get(0))?;
        Ok(found.map(Timestamp::from_millis))
    }

    /// How many observations and prompts are stored.
    pub fn event_count(&self) -> Result<u64, StoreError> {
        let count: i64 = self
            .sql("SELECT (SELECT count(*) FROM observation) + (SELECT count(*) FROM prompt)")?
            .query_row([], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// When the user last confirmed that the clock is right.
    pub fn clock_right_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let said = self.meta(CLOCK_RIGHT_AT)?.and_then(|text| text.parse().ok());
        Ok(said.map(Timestamp::from_millis))
    }

    /// The last sweep, if it stopped.
    pub fn sweep_stop(&self) -> Result<Option<SweepStop>, StoreError> {
        let Some(text) = self.meta(SWEEP_STOPPED)? else { return Ok(None) };
        let mut numbers = text.split(' ').map_while(|number| number.parse::<u64>().ok());
        let (Some(at), Some(due), Some(kept)) = (numbers.next(), numbers.next(), numbers.next()) else {
            return Ok(None);
        };
        Ok(Some(SweepStop { at: Timestamp::from_millis(at.cast_signed()), due, kept }))
    }
}

impl Writer<'_> {
    /// Stores that the user confirmed the clock.
    pub fn note_clock_right(&self, at: Timestamp) -> Result<(), StoreError> {
        self.put_meta(CLOCK_RIGHT_AT, &at.as_millis().to_string())
    }

    /// Stores how the last sweep ended.
    pub fn note_sweep(&self, stopped: Option<&SweepStop>) -> Result<(), StoreError> {
        match stopped {
            Some(stop) => self.put_meta(
                SWEEP_STOPPED,
                &format!("{} {} {}", stop.at.as_millis().max(0), stop.due, stop.kept),
            ),
            None => self.drop_meta(SWEEP_STOPPED),
        }
    }
}
