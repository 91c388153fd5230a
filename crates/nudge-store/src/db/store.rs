//! The store: reads from one snapshot, writes in one transaction.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::files::FileId;
use crate::db::options::{Access, Location, OpenOptions, ReadOnlyReason};
use crate::db::reader::Reader;
use crate::db::retry::{self, Backoff};
use crate::db::schema::LATEST;
use crate::db::{made, open_write};

/// An open store. Threads share it; each call borrows its own connection.
pub struct Store {
    pub(crate) options: OpenOptions,
    access: Access,
    pool: Pool,
    /// Threads of this process queue here instead of at the file's lock, where they would have to
    /// poll.
    pub(crate) turn: Mutex<()>,
    /// Identifies the file that was opened.
    file: Option<FileId>,
}

impl Store {
    /// Opens a store; creates or upgrades it if necessary.
    pub fn open(options: &OpenOptions) -> Result<Self, StoreError> {
        let (connection, access) = open_write::first(options)?;
        Ok(Self::over(connection, access, options))
    }

    /// Opens a store for writing within a deadline. It is created if missing, but never upgraded
    /// ([`StoreError::NeedsMigration`]) and never opened read-only.
    pub fn open_promptly(options: &OpenOptions) -> Result<Self, StoreError> {
        let connection = open_write::promptly(options)?;
        Ok(Self::over(connection, Access::ReadWrite, options))
    }

    fn over(connection: DbConnection, access: Access, options: &OpenOptions) -> Self {
        let file = match &options.location {
            Location::File(path) => FileId::at(path).ok(),
            Location::Memory => None,
        };
        let single = options.location == Location::Memory;
        let pool = Pool::new(connection, single);
        Self { options: options.clone(), access, pool, turn: Mutex::new(()), file }
    }

    /// What the store may be used for.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Reads; everything `f` sees comes from one snapshot.
    ///
    /// `f` must not call back into an in-memory store: `f` already uses its only connection.
    pub fn read<T, E: From<StoreError>>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T, E>) -> Result<T, E> {
        let connection = self.connection()?;
        connection.begin_read()?;
        f(&Reader::new(connection.raw(), &self.options))
    }

    /// Checks, before a write is acknowledged, that it went to the file that others open. Costs one
    /// file system lookup.
    pub(crate) fn ensure_still_there(&self) -> Result<(), StoreError> {
        match (&self.options.location, self.file) {
            (Location::File(path), Some(file)) => made::ensure_same_file(file, path),
            _ => Ok(()),
        }
    }

    /// Where the database is.
    pub fn location(&self) -> &Location {
        &self.options.location
    }

    /// The database file; `:memory:` for an in-memory store.
    pub fn path(&self) -> PathBuf {
        match &self.options.location {
            Location::File(path) => path.clone(),
            Location::Memory => Path::new(":memory:").to_owned(),
        }
    }

    pub(crate) fn connection(&self) -> Result<PooledConnection<'_>, StoreError> {
        self.pool.take(|| open_write::another(&self.options, &self.access, self.file))
    }

    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.pool.idle()
    }

    /// Fails if the store is read-only.
    pub(crate) fn ensure_writable(&self) -> Result<(), StoreError> {
        match &self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly { reason } => Err(self.read_only(reason.clone())),
        }
    }

    /// Fails if a newer program has upgraded the database since it was opened.
    pub(crate) fn ensure_known_schema(&self, connection: &DbConnection) -> Result<(), StoreError> {
        match connection.version()? {
            found if found > LATEST => {
                Err(self.read_only(ReadOnlyReason::NewerSchema { found, known: LATEST }))
            }
            _ => Ok(()),
        }
    }

    fn read_only(&self, reason: ReadOnlyReason) -> StoreError {
        StoreError::ReadOnly { path: self.path(), reason }
    }
}

// A pool of connections for reuse.

/// How many idle connections are kept: as many as a handful of busy threads use at once.
const MAX_IDLE: usize = 8;

/// The idle connections of one store.
///
/// The last one returned is lent first, so a process with one thread only ever has one connection.
struct Pool {
    idle: Mutex<Vec<DbConnection>>,
    returned: Condvar,
    /// An in-memory database exists only in its connection, so there is one and other callers wait
    /// for it.
    single: bool,
}

impl Pool {
    pub(crate) fn new(first: DbConnection, single: bool) -> Self {
        Self { idle: Mutex::new(vec![first]), returned: Condvar::new(), single }
    }

    /// An idle connection, or a new one from `open`.
    pub(crate) fn take(
        &self,
        open: impl FnOnce() -> Result<DbConnection, StoreError>,
    ) -> Result<PooledConnection<'_>, StoreError> {
        let mut idle = self.lock();
        loop {
            match idle.pop() {
                Some(connection) if connection.is_stale() => drop(connection),
                Some(connection) => return Ok(PooledConnection { connection: Some(connection), pool: self }),
                None if self.single => {
                    idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
                }
                None => break,
            }
        }
        drop(idle);
        Ok(PooledConnection { connection: Some(open()?), pool: self })
    }

    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.lock().len()
    }

    fn give_back(&self, connection: DbConnection) {
        let mut idle = self.lock();
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
        drop(idle);
        self.returned.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DbConnection>> {
        // The list of idle connections is valid between any two steps, so a panic elsewhere does no
        // harm.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A borrowed connection. Dropping it rolls back any open transaction and returns it.
pub(crate) struct PooledConnection<'p> {
    connection: Option<DbConnection>,
    pool: &'p Pool,
}

impl Deref for PooledConnection<'_> {
    type Target = DbConnection;

    fn deref(&self) -> &DbConnection {
        self.connection.as_ref().expect("a connection is lent until it is dropped")
    }
}

impl DerefMut for PooledConnection<'_> {
    fn deref_mut(&mut self) -> &mut DbConnection {
        self.connection.as_mut().expect("a connection is lent until it is dropped")
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && (connection.finish() || self.pool.single)
        {
            self.pool.give_back(connection);
        }
    }
}

// Checkpoints and empties the write-ahead log (WAL) next to the database.

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
