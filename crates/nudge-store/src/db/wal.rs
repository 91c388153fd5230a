//! The write-ahead log (WAL) beside the database: written back and emptied.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::retry::{self, Backoff};
use crate::db::store::Store;

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
