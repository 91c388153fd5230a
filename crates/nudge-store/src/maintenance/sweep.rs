//! Removes expired rows.
//!
//! Correctness does not depend on a sweep, because expired rows are no longer read. It only frees
//! space, in batches that hold the write lock briefly.

use std::time::{Duration, Instant};

use nudge_core::{EntryId, Timestamp};
use rusqlite::named_params;

use crate::db::error::StoreError;
use crate::tables::writer::Writer;

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
