//! Connections that wait to be used again.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::db::error::StoreError;
use crate::db::line::Line;

/// How many idle connections are kept: as many as a handful of busy threads use at once.
const IDLE: usize = 8;

/// The idle connections of one store.
///
/// The last one returned is lent first, so a process with one thread only ever has one connection.
pub(crate) struct Pool {
    idle: Mutex<Vec<Line>>,
    returned: Condvar,
    /// An in-memory database exists in its connection only, so there is one and others wait for it.
    single: bool,
}

impl Pool {
    pub(crate) fn new(first: Line, single: bool) -> Self {
        Self { idle: Mutex::new(vec![first]), returned: Condvar::new(), single }
    }

    /// An idle connection, or a new one from `open`.
    pub(crate) fn take(
        &self,
        open: impl FnOnce() -> Result<Line, StoreError>,
    ) -> Result<Lent<'_>, StoreError> {
        let mut idle = self.lock();
        loop {
            match idle.pop() {
                Some(line) if line.is_stale() => drop(line),
                Some(line) => return Ok(Lent { line: Some(line), pool: self }),
                None if self.single => {
                    idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
                }
                None => break,
            }
        }
        drop(idle);
        Ok(Lent { line: Some(open()?), pool: self })
    }

    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.lock().len()
    }

    fn give_back(&self, line: Line) {
        let mut idle = self.lock();
        if idle.len() < IDLE {
            idle.push(line);
        }
        drop(idle);
        self.returned.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Line>> {
        // A list of idle connections is whole between any two steps, so a panic elsewhere harms nothing.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection on loan. Dropping it ends whatever was under way and returns it.
pub(crate) struct Lent<'p> {
    line: Option<Line>,
    pool: &'p Pool,
}

impl Deref for Lent<'_> {
    type Target = Line;

    fn deref(&self) -> &Line {
        self.line.as_ref().expect("a connection is lent until it is dropped")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Line {
        self.line.as_mut().expect("a connection is lent until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(line) = self.line.take()
            && (line.finish() || self.pool.single)
        {
            self.pool.give_back(line);
        }
    }
}
