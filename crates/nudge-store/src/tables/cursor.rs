//! How far a file that is read piece by piece has been read.

use nudge_core::Timestamp;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

/// A place in something that grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// What comes next, in bytes or whatever its owner counts.
    pub position: i64,
    /// What its owner wants to recognise the thing by.
    pub detail: String,
    /// When it was last moved.
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
    /// Moves a cursor, making it if need be. It moves with the write that it belongs to, or not at
    /// all.
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
