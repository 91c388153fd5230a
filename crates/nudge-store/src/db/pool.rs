//! A pool of connections for reuse.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;

/// How many idle connections are kept: as many as a handful of busy threads use at once.
const IDLE: usize = 8;

/// The idle connections of one store.
///
/// The last one returned is lent first, so a process with one thread only ever has one connection.
pub(crate) struct Pool {
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
        if idle.len() < IDLE {
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
