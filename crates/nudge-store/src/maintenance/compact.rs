//! Frees space: the free pages of the file, or everything between its rows.

use std::sync::PoisonError;

use crate::db::error::StoreError;
use crate::db::retry;
use crate::db::store::Store;
use crate::maintenance::batches::Pace;

/// How many pages are freed between two looks at the clock.
const PAGES_PER_STEP: u32 = 16;

impl Store {
    /// Returns all free pages to the file system, in batches. Returns how many there were.
    pub fn release_free_pages(&self, pace: &mut Pace) -> Result<u64, StoreError> {
        let mut given = 0;
        self.write_in_batches(pace, |writer, batch| {
            loop {
                let free: i64 = writer.sql("PRAGMA freelist_count")?.query_row([], |row| row.get(0))?;
                if free == 0 || batch.is_full() {
                    return Ok::<_, StoreError>(free > 0);
                }
                // There is one row per page, so all rows must be read.
                let mut pages =
                    writer.conn.prepare(&format!("PRAGMA incremental_vacuum({PAGES_PER_STEP})"))?;
                let mut rows = pages.query([])?;
                while rows.next()?.is_some() {}
                given += free.min(i64::from(PAGES_PER_STEP)).unsigned_abs();
            }
        })?;
        Ok(given)
    }

    /// Rewrites the whole file, so that no deleted data is left between its rows. Others can read
    /// meanwhile, but not write. The time grows with the size of the file.
    pub fn rewrite(&self) -> Result<(), StoreError> {
        let connection = self.connection()?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        retry::while_busy(self.options.busy, || Ok(connection.raw().execute_batch("VACUUM")?))
    }
}
