//! One snapshot of the store. What can be read of each noun is in that noun's file.

use std::cell::RefCell;

use rusqlite::{CachedStatement, Connection};

use crate::db::error::StoreError;
use crate::db::memory_session::{self, MemorySession};
use crate::db::options::OpenOptions;
use crate::db::schema::{self, LATEST};

/// Reads from one snapshot: nothing another process commits meanwhile is seen.
pub struct Reader<'s> {
    pub(crate) conn: &'s Connection,
    pub(crate) options: &'s OpenOptions,
    pub(crate) session: RefCell<Option<MemorySession>>,
    /// What was prepared, so that tests can ask for the plans.
    #[cfg(test)]
    pub(crate) prepared: RefCell<Vec<String>>,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(conn: &'s Connection, options: &'s OpenOptions) -> Self {
        Self {
            conn,
            options,
            session: RefCell::new(None),
            #[cfg(test)]
            prepared: RefCell::default(),
        }
    }

    /// A statement, prepared at its first use on this connection.
    pub(crate) fn sql(&self, sql: &str) -> Result<CachedStatement<'s>, StoreError> {
        if self.conn.is_autocommit() {
            // SQLite ends a transaction by itself when the disk is full or fails. What would follow
            // must not be kept without what came before.
            return Err(StoreError::RolledBack);
        }
        #[cfg(test)]
        self.prepared.borrow_mut().push(sql.to_owned());
        self.conn.prepare_cached(sql).map_err(|error| self.explained(error.into()))
    }

    /// The session in force here and now.
    ///
    /// After a restart of the machine that is already the next one, also where its beginning cannot
    /// be written down.
    pub fn session(&self) -> Result<MemorySession, StoreError> {
        if let Some(known) = self.session.borrow().as_ref() {
            return Ok(known.clone());
        }
        let session = memory_session::current(self.conn, self.options)?;
        *self.session.borrow_mut() = Some(session.clone());
        Ok(session)
    }

    /// A statement that does not fit the schema is no fault of ours when the schema is newer.
    fn explained(&self, error: StoreError) -> StoreError {
        match (&error, schema::version(self.conn)) {
            (StoreError::Database { .. }, Ok(found)) if found > LATEST => {
                StoreError::TooNew { found, known: LATEST }
            }
            _ => error,
        }
    }
}
