//! Long work in short transactions, so that upkeep does not keep an agent's hook waiting; freeing
//! space is such work.

use std::sync::PoisonError;
use std::thread;
use std::time::{Duration, Instant};

use crate::db::connection::{DbConnection, Durability};
use crate::db::error::StoreError;
use crate::db::store::Store;
use crate::db::{memory_session, retry};
use crate::tables::writer::Writer;

/// The longest that upkeep may hold the write lock at a time: a third of a hook's total time.
pub const MAX_HELD: Duration = Duration::from_millis(50);

/// How long the first batch works before it commits. Committing takes about as long again.
const FIRST_SHARE: Duration = Duration::from_millis(4);

/// The shortest and longest time a batch works before it commits.
const BATCH_TIMES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(10));

/// A batch that held the lock for longer makes the next one smaller; one that held it for less than
/// half of this makes it larger. Well below [`MAX_HELD`], because a commit may take several
/// times as long as the one before.
const BATCH_AIM: Duration = Duration::from_millis(16);

/// How long the lock stays free between two batches: longer than a waiting process sleeps between
/// two attempts.
const BATCH_PAUSE: Duration = Duration::from_millis(8);

/// The WAL is checkpointed after this many batches: often enough to stay small.
const WRITE_BACK_EVERY: u64 = 16;

/// How deleted bytes are treated.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DeleteMode {
    /// Overwritten if that costs no extra write.
    Plain,
    /// Always overwritten.
    Secure,
}

/// How long the write lock was held.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The number of transactions.
    pub batches: u64,
    /// The longest time in one of them.
    pub longest: Duration,
}

/// The pace of long work, adjusted from one batch to the next.
#[derive(Clone, Debug)]
pub struct Pace {
    care: DeleteMode,
    share: Duration,
    /// The lock times so far.
    pub held: Held,
}

impl Pace {
    /// The initial pace.
    pub fn new(care: DeleteMode) -> Self {
        Self { care, share: FIRST_SHARE, held: Held::default() }
    }

    fn learn(&mut self, took: Duration) {
        self.held.batches += 1;
        self.held.longest = self.held.longest.max(took);
        if took > BATCH_AIM {
            self.share = (self.share / 2).max(BATCH_TIMES.0);
        } else if took < BATCH_AIM / 2 {
            self.share = (self.share * 5 / 4).min(BATCH_TIMES.1);
        }
    }
}

/// One transaction's share of long work.
pub struct Batch {
    until: Instant,
}

impl Batch {
    /// Whether it is time to commit. Check it after every small step.
    pub fn is_full(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Store {
    /// Writes in several transactions. `work` is called until it reports that nothing is left, and
    /// returns when its batch is full. Each batch is committed, whatever happens in the next one.
    ///
    /// `work` must not call back into the store.
    pub fn write_in_batches<E: From<StoreError>>(
        &self,
        pace: &mut Pace,
        mut work: impl FnMut(&Writer<'_>, &Batch) -> Result<bool, E>,
    ) -> Result<(), E> {
        self.ensure_writable()?;
        let connection = self.connection()?;
        let done = self.all_batches(&connection, pace, &mut work);
        // Whatever happened, the next user must find the connection as it was.
        connection.finish();
        let restored =
            connection.raw().execute_batch("PRAGMA wal_autocheckpoint = 1000; PRAGMA secure_delete = FAST;");
        done?;
        restored.map_err(StoreError::from)?;
        Ok(())
    }

    fn all_batches<E: From<StoreError>>(
        &self,
        connection: &DbConnection,
        pace: &mut Pace,
        work: &mut impl FnMut(&Writer<'_>, &Batch) -> Result<bool, E>,
    ) -> Result<(), E> {
        loop {
            let more = self.one_batch(connection, pace, work)?;
            if pace.held.batches.is_multiple_of(WRITE_BACK_EVERY) {
                self.write_wal_back(connection)?;
            }
            thread::sleep(BATCH_PAUSE);
            if !more {
                return Ok(());
            }
        }
    }

    fn one_batch<E: From<StoreError>>(
        &self,
        connection: &DbConnection,
        pace: &mut Pace,
        work: &mut impl FnMut(&Writer<'_>, &Batch) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        connection.begin_write(Durability::Passive, self.options.busy)?;
        let began = Instant::now();
        self.ensure_known_schema(connection)?;
        // The WAL is checkpointed here, between batches: at a commit it would delay the next one.
        connection
            .raw()
            .execute_batch(match pace.care {
                DeleteMode::Plain => "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = FAST;",
                DeleteMode::Secure => "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON;",
            })
            .map_err(StoreError::from)?;
        memory_session::settle(connection.raw(), &self.options)?;
        let batch = Batch { until: began + pace.share };
        let more = work(&Writer::new(connection.raw(), &self.options), &batch)?;
        connection.commit(self.options.busy)?;
        pace.learn(began.elapsed());
        Ok(more)
    }
}

// Frees space: the free pages of the file, or everything between its rows.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_batch_makes_the_next_one_smaller() {
        let mut pace = Pace::new(DeleteMode::Plain);
        pace.learn(Duration::from_millis(40));
        assert_eq!(pace.share, FIRST_SHARE / 2);
        for _ in 0..20 {
            pace.learn(Duration::from_millis(40));
        }
        assert_eq!(pace.share, BATCH_TIMES.0);
        for _ in 0..40 {
            pace.learn(Duration::from_millis(1));
        }
        assert_eq!(pace.share, BATCH_TIMES.1);
        assert_eq!(pace.held, Held { batches: 61, longest: Duration::from_millis(40) });
    }
}
