//! Counts of what was not stored, because it was already there or added nothing new.

use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

impl Reader<'_> {
    /// One count; 0 when nothing was counted.
    pub fn tally(&self, name: &str) -> Result<i64, StoreError> {
        let found = self
            .sql("SELECT count FROM tally WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        Ok(found.unwrap_or(0))
    }

    /// All counts, by name.
    pub fn tallies(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let mut found = self.sql("SELECT name, count FROM tally ORDER BY name")?;
        Ok(found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Adds to a count.
    pub fn count(&self, name: &str, by: i64) -> Result<(), StoreError> {
        self.sql(
            "INSERT INTO tally (name, count) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET count = count + excluded.count",
        )?
        .execute((name, by))?;
        Ok(())
    }
}
