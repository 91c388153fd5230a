//! One write transaction. The writes of each kind of row are in that kind's file.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::PoisonError;

use nudge_core::Timestamp;
use rusqlite::Connection;

use crate::db::connection::Durability;
use crate::db::error::StoreError;
use crate::db::memory_session::{self, MemorySession};
use crate::db::options::OpenOptions;
use crate::db::reader::Reader;
use crate::db::store::Store;
use crate::tables::interned::Interned;

/// Writes in one transaction, and reads what it has written.
pub struct Writer<'s> {
    reader: Reader<'s>,
    pub(crate) interned: RefCell<Interned>,
}

impl<'s> Writer<'s> {
    pub(crate) fn new(conn: &'s Connection, options: &'s OpenOptions) -> Self {
        Self { reader: Reader::new(conn, options), interned: RefCell::default() }
    }

    /// Does a part of the transaction: everything `f` does stays, or nothing if `f` fails.
    pub fn part<T, E: From<StoreError>>(&self, f: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.sql("SAVEPOINT part")?.execute([]).map_err(StoreError::from)?;
        let answer = f();
        if answer.is_err() {
            self.sql("ROLLBACK TO part")?.execute([]).map_err(StoreError::from)?;
            // Ids of words that are not stored any more.
            *self.interned.borrow_mut() = Interned::default();
        }
        self.sql("RELEASE part")?.execute([]).map_err(StoreError::from)?;
        answer
    }

    /// Ends the session and begins the next; hints that live for the session expire with it.
    pub fn end_session(&self, now: Timestamp) -> Result<MemorySession, StoreError> {
        let session = memory_session::begin_next(self.conn, now)?;
        *self.session.borrow_mut() = Some(session.clone());
        Ok(session)
    }
}

impl<'s> Deref for Writer<'s> {
    type Target = Reader<'s>;

    fn deref(&self) -> &Reader<'s> {
        &self.reader
    }
}

impl Store {
    /// Writes; everything `f` does is stored together, or nothing if `f` or the commit fails.
    ///
    /// When this returns `Ok`, the write is as durable as `durability` says. `f` must not call
    /// [`Store::write`] again.
    pub fn write<T, E: From<StoreError>>(
        &self,
        durability: Durability,
        f: impl FnOnce(&Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.ensure_writable()?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = self.connection()?;
        connection.begin_write(durability, self.options.busy)?;
        self.ensure_known_schema(&connection)?;
        memory_session::settle(connection.raw(), &self.options)?;
        let answer = f(&Writer::new(connection.raw(), &self.options))?;
        connection.commit(self.options.busy)?;
        self.ensure_still_there()?;
        Ok(answer)
    }
}
