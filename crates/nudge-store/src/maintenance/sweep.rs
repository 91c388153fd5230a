//! Removing what has ended.
//!
//! Nothing waits for a sweep to be correct: what has ended is not read any more. It only gives
//! the space back, in batches that keep the write lock short.

use std::time::{Duration, Instant};

use nudge_core::{EntryId, Timestamp};
use rusqlite::named_params;

use crate::db::error::StoreError;
use crate::tables::writer::Writer;

/// How many ended hints one sweep removes at most.
const HINTS_AT_ONCE: i64 = 250;

/// Free pages are given back to the file system once there are this many: 4 MiB.
const FREE_PAGES_WORTH_IT: i64 = 1_024;

/// How many free pages are given back between two looks at the clock: 512 KiB.
const PAGES_AT_ONCE: u32 = 128;

/// How long one sweep gives pages back for: the write lock is held meanwhile.
const GIVING_BACK: Duration = Duration::from_millis(15);

/// What a sweep removed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Hints whose time or session was over.
    pub hints: u64,
    /// Answers of writes that nobody will repeat any more.
    pub operations: u64,
    /// Feed rows that every reader has seen.
    pub feed_rows: u64,
}

impl Writer<'_> {
    /// Removes a bounded amount of what has ended; when it removed a lot, there may be more.
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
            // One row for each page, so all rows must be walked.
            let mut pages = self.conn.prepare(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
            let mut given_back = pages.query([])?;
            while given_back.next()?.is_some() {}
        }
        Ok(())
    }
}
