//! The log beside the database, and the file's free pages: written back, emptied, given back.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::db::error::StoreError;
use crate::db::line::Line;
use crate::db::patience::{self, Naps};
use crate::db::store::Store;
use crate::maintenance::portions::Pace;

/// How many pages are given back between two looks at the clock.
const PAGES_PER_STEP: u32 = 16;

/// What became of the log.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    /// It is empty: everything is in the database file.
    Empty,
    /// Somebody still reads from it, so it keeps what it had.
    Read,
}

impl Store {
    /// Writes the log back and empties it, as far as others allow within `patience`.
    ///
    /// Writing back happens beside writers; only the emptying needs their lock, for an instant.
    pub fn empty_log(&self, patience: Duration) -> Result<LogState, StoreError> {
        let mut line = self.line()?;
        let began = Instant::now();
        let mut naps = Naps::start();
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.write_log_back(&line)?;
            if self.try_empty(line.conn_mut())? {
                return Ok(LogState::Empty);
            }
            if began.elapsed() >= patience || !naps.sleep_within(patience) {
                return Ok(LogState::Read);
            }
        }
    }

    /// Gives all free pages back to the file system, in portions. Returns how many there were.
    pub fn give_pages_back(&self, pace: &mut Pace) -> Result<u64, StoreError> {
        let mut given = 0;
        self.write_in_portions(pace, |writer, portion| {
            loop {
                let free: i64 = writer.sql("PRAGMA freelist_count")?.query_row([], |row| row.get(0))?;
                if free == 0 || portion.is_full() {
                    return Ok::<_, StoreError>(free > 0);
                }
                // One row for each page, so all rows must be walked.
                let mut pages =
                    writer.conn.prepare(&format!("PRAGMA incremental_vacuum({PAGES_PER_STEP})"))?;
                let mut rows = pages.query([])?;
                while rows.next()?.is_some() {}
                given += free.min(i64::from(PAGES_PER_STEP)).unsigned_abs();
            }
        })?;
        Ok(given)
    }

    /// Writes the whole file anew, so that nothing is left between its rows of what was once there. Others can read
    /// meanwhile, not write: this takes as long as the file is large.
    pub fn rewrite(&self) -> Result<(), StoreError> {
        let line = self.line()?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        patience::retry(self.options.busy, || Ok(line.conn().execute_batch("VACUUM")?))
    }

    /// Writes the log back as far as readers allow. Holds up nobody.
    pub(crate) fn write_log_back(&self, line: &Line) -> Result<(), StoreError> {
        line.conn().query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(())
    }

    /// Without waiting: who waits here keeps writers out.
    fn try_empty(&self, conn: &mut Connection) -> Result<bool, StoreError> {
        conn.busy_handler::<fn(i32) -> bool>(None)?;
        let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        conn.busy_handler(Some(patience::busy_handler(self.options.busy)))?;
        match busy.map_err(StoreError::from) {
            Ok(busy) => Ok(busy == 0),
            Err(error) if error.is_busy() => Ok(false),
            Err(error) => Err(error),
        }
    }
}
