//! The write-ahead log (WAL) beside the database, and the file's free pages: written back, emptied, given back.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::retry::{self, Backoff};
use crate::db::store::Store;
use crate::maintenance::batches::Pace;

/// How many pages are given back between two looks at the clock.
const PAGES_PER_STEP: u32 = 16;

/// What became of the WAL.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WalState {
    /// It is empty: everything is in the database file.
    Empty,
    /// Somebody still reads from it, so it keeps what it had.
    Read,
}

impl Store {
    /// Writes the WAL back and empties it, as far as others allow within `limit`.
    ///
    /// Writing back happens beside writers; only the emptying needs their lock, for an instant.
    pub fn empty_wal(&self, limit: Duration) -> Result<WalState, StoreError> {
        let mut connection = self.connection()?;
        let began = Instant::now();
        let mut backoff = Backoff::start();
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.write_wal_back(&connection)?;
            if self.try_empty(connection.raw_mut())? {
                return Ok(WalState::Empty);
            }
            if began.elapsed() >= limit || !backoff.sleep_within(limit) {
                return Ok(WalState::Read);
            }
        }
    }

    /// Gives all free pages back to the file system, in batches. Returns how many there were.
    pub fn give_pages_back(&self, pace: &mut Pace) -> Result<u64, StoreError> {
        let mut given = 0;
        self.write_in_batches(pace, |writer, batch| {
            loop {
                let free: i64 = writer.sql("PRAGMA freelist_count")?.query_row([], |row| row.get(0))?;
                if free == 0 || batch.is_full() {
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
        let connection = self.connection()?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        retry::while_busy(self.options.busy, || Ok(connection.raw().execute_batch("VACUUM")?))
    }

    /// Writes the WAL back as far as readers allow. Holds up nobody.
    pub(crate) fn write_wal_back(&self, connection: &DbConnection) -> Result<(), StoreError> {
        connection.raw().query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(())
    }

    /// Without waiting: who waits here keeps writers out.
    fn try_empty(&self, conn: &mut Connection) -> Result<bool, StoreError> {
        conn.busy_handler::<fn(i32) -> bool>(None)?;
        let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        conn.busy_handler(Some(retry::busy_handler(self.options.busy)))?;
        match busy.map_err(StoreError::from) {
            Ok(busy) => Ok(busy == 0),
            Err(error) if error.is_busy() => Ok(false),
            Err(error) => Err(error),
        }
    }
}
