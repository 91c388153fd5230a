//! Checkpoints and empties the write-ahead log (WAL) next to the database.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::retry::{self, Backoff};
use crate::db::store::Store;

/// The state of the WAL.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WalState {
    /// It is empty: everything is in the database file.
    Empty,
    /// Another connection still reads from it, so it keeps its content.
    Read,
}

impl Store {
    /// Checkpoints the WAL and empties it, as far as other connections allow within `limit`.
    ///
    /// The checkpoint runs alongside writers; only emptying needs their lock, for an instant.
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

    /// Checkpoints the WAL as far as readers allow. Delays nobody.
    pub(crate) fn write_wal_back(&self, connection: &DbConnection) -> Result<(), StoreError> {
        connection.raw().query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(())
    }

    /// Does not wait, because waiting here would block writers.
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
