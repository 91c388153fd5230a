//! Finds rows past their retention and removes them. Only rows covered by a summary can be deleted,
//! and no pinned ones.

use std::time::{Duration, Instant};

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{Row, named_params};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::writer::Writer;

/// An old observation or prompt.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Aged {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// When it happened.
    pub at: Timestamp,
    /// Whether the summary of its session covers it.
    pub summed_up: bool,
    /// Whether it is pinned.
    pub pinned: bool,
}

const AGED_OBSERVATIONS: &str = "SELECT o.entry_id, o.session_id, o.at,
            s.summarised_at IS NOT NULL AND s.summarised_entry >= o.entry_id, o.pinned
       FROM observation o CROSS JOIN agent_session s ON s.id = o.session_id
      WHERE o.kind = ?1 AND o.at < ?2 AND (o.at, o.entry_id) > (?3, ?4)
      ORDER BY o.at, o.entry_id LIMIT ?5";

impl Reader<'_> {
    /// Observations of a kind from before a time, oldest first, starting after the given one.
    pub fn aged_observations(
        &self,
        kind: ObservationKind,
        before: Timestamp,
        after: Option<&Aged>,
        limit: u32,
    ) -> Result<Vec<Aged>, StoreError> {
        let (at, id) = after.map_or((i64::MIN, 0), |aged| (aged.at.as_millis(), aged.id.0));
        self.all(AGED_OBSERVATIONS, (kind.number(), before.as_millis(), at, id, limit))
    }

    /// Prompts of a session from before a time. One with a pinned observation counts as pinned.
    pub fn aged_prompts(&self, session: SessionId, before: Timestamp) -> Result<Vec<Aged>, StoreError> {
        self.all(
            "SELECT p.entry_id, p.session_id, p.at,
                    s.summarised_at IS NOT NULL AND s.summarised_entry >= p.entry_id,
                    EXISTS (SELECT 1 FROM observation o WHERE o.prompt_id = p.entry_id AND o.pinned = 1)
               FROM prompt p CROSS JOIN agent_session s ON s.id = p.session_id
              WHERE p.session_id = ?1 AND p.at < ?2 ORDER BY p.at, p.entry_id",
            (session.0, before.as_millis()),
        )
    }
}

impl Writer<'_> {
    /// Removes an observation unless it is now pinned; returns whether it did.
    pub fn forget_unpinned(&self, id: EntryId, now: Timestamp) -> Result<bool, StoreError> {
        let pinned: i64 = self
            .sql("SELECT count(*) FROM observation WHERE entry_id = ?1 AND pinned = 1")?
            .query_row([id.0], |row| row.get(0))?;
        if pinned > 0 { Ok(false) } else { self.delete_entry(id, now) }
    }
}

impl FromRow for Aged {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: EntryId(row.get(0)?),
            session: SessionId(row.get(1)?),
            at: Timestamp::from_millis(row.get(2)?),
            summed_up: row.get(3)?,
            pinned: row.get(4)?,
        })
    }
}

// Correctness does not depend on a sweep, because expired rows are no longer read. It only frees
// space, in batches that hold the write lock briefly.

/// How many expired hints one sweep removes at most.
const HINTS_AT_ONCE: i64 = 250;

/// Free pages are returned to the file system once there are this many: 4 MiB.
const FREE_PAGES_WORTH_IT: i64 = 1_024;

/// How many free pages are returned between two looks at the clock: 512 KiB.
const PAGES_AT_ONCE: u32 = 128;

/// How long one sweep returns pages; it holds the write lock meanwhile.
const GIVING_BACK: Duration = Duration::from_millis(15);

/// What a sweep removed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Hints that expired, by time or with their session.
    pub hints: u64,
    /// Stored answers of writes that will not be repeated any more.
    pub operations: u64,
    /// Feed rows that every reader has seen.
    pub feed_rows: u64,
}

impl Writer<'_> {
    /// Removes a limited number of expired rows; after removing many, there may be more.
    pub fn sweep(&self, now: Timestamp) -> Result<Swept, StoreError> {
        let hints = self.sweep_hints(now)?;
        let operations = self.drop_old_operations(now)?;
        let feed_rows = self.trim_feed(now)?;
        self.give_space_back()?;
        Ok(Swept { hints, operations, feed_rows })
    }

    fn sweep_hints(&self, now: Timestamp) -> Result<u64, StoreError> {
        let session = self.session()?.id;
        let ended: Vec<i64> = self
            .sql(
                "SELECT entry_id FROM hint WHERE expires_at <= :now
                 UNION ALL
                 SELECT entry_id FROM hint WHERE session IS NOT NULL AND session <> :session
                 LIMIT :limit",
            )?
            .query_map(
                named_params! { ":now": now.as_millis(), ":session": session, ":limit": HINTS_AT_ONCE },
                |row| row.get(0),
            )?
            .collect::<Result<_, _>>()?;
        for id in &ended {
            self.delete_entry(EntryId(*id), now)?;
        }
        Ok(ended.len() as u64)
    }

    fn give_space_back(&self) -> Result<(), StoreError> {
        let free = || -> Result<i64, StoreError> {
            Ok(self.sql("PRAGMA freelist_count")?.query_row([], |row| row.get(0))?)
        };
        if free()? < FREE_PAGES_WORTH_IT {
            return Ok(());
        }
        let began = Instant::now();
        while began.elapsed() < GIVING_BACK && free()? > 0 {
            // There is one row per page, so all rows must be read.
            let mut pages = self.conn.prepare(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
            let mut given_back = pages.query([])?;
            while given_back.next()?.is_some() {}
        }
        Ok(())
    }
}
