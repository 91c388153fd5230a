//! Long work in short transactions: upkeep must not keep an agent's hook waiting.

use std::sync::PoisonError;
use std::thread;
use std::time::{Duration, Instant};

use crate::db::connection::{DbConnection, Durability};
use crate::db::error::StoreError;
use crate::db::memory_session;
use crate::db::store::Store;
use crate::tables::writer::Writer;

/// The longest that upkeep may hold the write lock at a time: a third of what a hook has in all.
pub const HELD_AT_MOST: Duration = Duration::from_millis(50);

/// How long a first batch works before it commits. Committing takes about as long again.
const FIRST_SHARE: Duration = Duration::from_millis(4);

/// The least and the most that a batch works before it commits.
const SHARES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(10));

/// A batch that held the lock for longer makes the next one smaller; one that held it for less than
/// half of this, larger. Well below [`HELD_AT_MOST`], because a commit may take several times what
/// the one before took.
const AIM: Duration = Duration::from_millis(16);

/// How long the lock stays free between two batches: longer than whoever waits for it sleeps
/// between two looks.
const PAUSE: Duration = Duration::from_millis(8);

/// After how many batches the WAL is written back: often enough that it stays small.
const WRITE_BACK_EVERY: u64 = 16;

/// What becomes of the bytes of what is deleted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Care {
    /// They are overwritten where that costs no extra write.
    Plain,
    /// They are overwritten.
    Secure,
}

/// How long the write lock was held.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// In how many transactions.
    pub batches: u64,
    /// For how long by the longest of them.
    pub longest: Duration,
}

/// How fast long work goes: learned from one batch to the next.
#[derive(Clone, Debug)]
pub struct Pace {
    care: Care,
    share: Duration,
    /// What it took so far.
    pub held: Held,
}

impl Pace {
    /// A pace to begin with.
    pub fn new(care: Care) -> Self {
        Self { care, share: FIRST_SHARE, held: Held::default() }
    }

    fn learn(&mut self, took: Duration) {
        self.held.batches += 1;
        self.held.longest = self.held.longest.max(took);
        if took > AIM {
            self.share = (self.share / 2).max(SHARES.0);
        } else if took < AIM / 2 {
            self.share = (self.share * 5 / 4).min(SHARES.1);
        }
    }
}

/// One transaction's share of long work.
pub struct Batch {
    until: Instant,
}

impl Batch {
    /// Whether it is time to commit. Asked after every small step.
    pub fn is_full(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Store {
    /// Writes in several transactions: `work` is called until it says that nothing is left, and
    /// ends its turn when its batch is full. What a turn did stays, whatever becomes of the next
    /// one.
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
        // Whatever happened: who gets the connection next must find it as it was.
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
            thread::sleep(PAUSE);
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
        // Writing the WAL back is left to us, between batches: at a commit it would delay the next
        // one.
        connection
            .raw()
            .execute_batch(match pace.care {
                Care::Plain => "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = FAST;",
                Care::Secure => "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON;",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_batch_makes_the_next_one_smaller() {
        let mut pace = Pace::new(Care::Plain);
        pace.learn(Duration::from_millis(40));
        assert_eq!(pace.share, FIRST_SHARE / 2);
        for _ in 0..20 {
            pace.learn(Duration::from_millis(40));
        }
        assert_eq!(pace.share, SHARES.0);
        for _ in 0..40 {
            pace.learn(Duration::from_millis(1));
        }
        assert_eq!(pace.share, SHARES.1);
        assert_eq!(pace.held, Held { batches: 61, longest: Duration::from_millis(40) });
    }
}
