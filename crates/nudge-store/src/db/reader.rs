//! One snapshot of the store. The reads of each kind of row are in that kind's file.

use std::cell::RefCell;

use rusqlite::{CachedStatement, Connection, Params, Row};

use crate::db::error::StoreError;
use crate::db::memory_session::{self, MemorySession};
use crate::db::options::OpenOptions;
use crate::db::schema::{self, LATEST};

/// Reads from one snapshot: commits of other processes in the meantime are not visible.
pub struct Reader<'s> {
    pub(crate) conn: &'s Connection,
    pub(crate) options: &'s OpenOptions,
    pub(crate) session: RefCell<Option<MemorySession>>,
    /// The prepared statements, so that tests can check their plans.
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
            // SQLite ends a transaction by itself when the disk is full or fails. Later writes must
            // not be stored without the earlier ones.
            return Err(StoreError::RolledBack);
        }
        #[cfg(test)]
        self.prepared.borrow_mut().push(sql.to_owned());
        self.conn.prepare_cached(sql).map_err(|error| self.explained(error.into()))
    }

    /// Every row of a query.
    pub(crate) fn all<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<Vec<T>, StoreError> {
        let mut found = self.sql(sql)?;
        let mut rows = found.query(params)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(T::from_row(row)?);
        }
        Ok(all)
    }

    /// The first row of a query.
    pub(crate) fn first<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<Option<T>, StoreError> {
        let mut found = self.sql(sql)?;
        let mut rows = found.query(params)?;
        rows.next()?.map(T::from_row).transpose()
    }

    /// The current session on this host.
    ///
    /// After a restart of the machine this is already the next session, even if its beginning
    /// cannot be stored.
    pub fn session(&self) -> Result<MemorySession, StoreError> {
        if let Some(known) = self.session.borrow().as_ref() {
            return Ok(known.clone());
        }
        let session = memory_session::current(self.conn, self.options)?;
        *self.session.borrow_mut() = Some(session.clone());
        Ok(session)
    }

    /// A statement that does not fit the schema is no bug of ours if the schema is newer.
    fn explained(&self, error: StoreError) -> StoreError {
        match (&error, schema::version(self.conn)) {
            (StoreError::Database { .. }, Ok(found)) if found > LATEST => {
                StoreError::TooNew { found, known: LATEST }
            }
            _ => error,
        }
    }
}

/// A row that reads itself from the columns of the `SELECT` beside it.
pub(crate) trait FromRow: Sized {
    /// Reads the columns in their order.
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError>;
}
