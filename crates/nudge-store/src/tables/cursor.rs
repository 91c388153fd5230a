//! How far a file that is read piece by piece was read.

use nudge_core::Timestamp;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

/// A position in something that grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Where to continue, in bytes or the owner's own unit.
    pub position: i64,
    /// The owner's data for recognising the file.
    pub detail: String,
    /// When it last moved.
    pub at: Timestamp,
}

impl Reader<'_> {
    /// The cursor with that name.
    pub fn cursor(&self, name: &str) -> Result<Option<Cursor>, StoreError> {
        Ok(self
            .sql("SELECT position, detail, at FROM cursor WHERE name = ?1")?
            .query_row([name], |row| {
                Ok(Cursor {
                    position: row.get(0)?,
                    detail: row.get(1)?,
                    at: Timestamp::from_millis(row.get(2)?),
                })
            })
            .optional()?)
    }
}

impl Writer<'_> {
    /// Moves a cursor, creating it if necessary. It moves in the same transaction as the write it
    /// belongs to.
    pub fn set_cursor(
        &self,
        name: &str,
        position: i64,
        detail: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.sql(
            "INSERT INTO cursor (name, position, detail, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (name) DO UPDATE SET
                 position = excluded.position, detail = excluded.detail, at = excluded.at",
        )?
        .execute((name, position, detail, at.as_millis()))?;
        Ok(())
    }
}
