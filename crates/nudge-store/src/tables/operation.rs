//! Finished writes by the id their caller gave them, so that a retry never writes twice.

use std::time::Duration;

use nudge_core::Timestamp;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

/// How long an answer is kept: far longer than any Nudge program retries.
pub(crate) const KEPT: Duration = Duration::from_secs(10 * 60);

/// The prefix for announced tool calls among the ids of finished writes.
const CALL: &str = "call:";

impl Reader<'_> {
    /// Whether the tool call with this identity was announced within ten minutes.
    pub fn is_call_noted(&self, identity: i64) -> Result<bool, StoreError> {
        Ok(self.finished_operation(&format!("{CALL}{identity:x}"))?.is_some())
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
        self.finish_operation(&format!("{CALL}{identity:x}"), "null", now)
    }

    pub(crate) fn drop_old_operations(&self, now: Timestamp) -> Result<u64, StoreError> {
        let dropped =
            self.sql("DELETE FROM operation WHERE at < ?1")?.execute([now.minus(KEPT).as_millis()])?;
        Ok(dropped as u64)
    }
}
