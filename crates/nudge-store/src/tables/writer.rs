//! One write transaction, done once for each id that a caller gives. The writes of each kind of row
//! are in that kind's file.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::PoisonError;
use std::time::Duration;

use nudge_core::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use crate::db::connection::Durability;
use crate::db::error::StoreError;
use crate::db::memory_session::{self, MemorySession};
use crate::db::options::OpenOptions;
use crate::db::reader::Reader;
use crate::db::store::Store;
use crate::tables::intern::Interned;

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

// Finished writes by the id their caller gave them, so that a retry never writes twice.

/// How long an answer is kept: far longer than any Nudge program retries.
pub(crate) const ANSWER_LIFETIME: Duration = Duration::from_secs(10 * 60);

/// The prefix for announced tool calls among the ids of finished writes.
const CALL_PREFIX: &str = "call:";

impl Reader<'_> {
    /// Whether the tool call with this identity was announced within ten minutes.
    pub fn is_call_noted(&self, identity: i64) -> Result<bool, StoreError> {
        Ok(self.finished_operation(&format!("{CALL_PREFIX}{identity:x}"))?.is_some())
    }

    /// The answer of a write that was already done under this id.
    pub fn finished_operation(&self, id: &str) -> Result<Option<String>, StoreError> {
        Ok(self
            .sql("SELECT result FROM operation WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?)
    }
}

impl Writer<'_> {
    /// Keeps the answer of this transaction's write for ten minutes. The first answer is never
    /// replaced.
    pub fn finish_operation(&self, id: &str, result: &str, now: Timestamp) -> Result<(), StoreError> {
        self.drop_old_operations(now)?;
        self.sql("INSERT INTO operation (id, at, result) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING")?
            .execute((id, now.as_millis(), result))?;
        Ok(())
    }

    /// Stores for ten minutes that a tool call was announced.
    pub fn note_call(&self, identity: i64, now: Timestamp) -> Result<(), StoreError> {
        self.finish_operation(&format!("{CALL_PREFIX}{identity:x}"), "null", now)
    }

    pub(crate) fn drop_old_operations(&self, now: Timestamp) -> Result<u64, StoreError> {
        let dropped = self
            .sql("DELETE FROM operation WHERE at < ?1")?
            .execute([now.minus(ANSWER_LIFETIME).as_millis()])?;
        Ok(dropped as u64)
    }
}
