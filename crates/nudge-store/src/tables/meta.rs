//! Single values about the store as a whole, by name.

use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

impl Reader<'_> {
    /// The value of a name.
    pub(crate) fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        let found = self
            .sql("SELECT value FROM meta WHERE key = ?1")?
            .query_row([key], |row| row.get(0))
            .optional()?;
        Ok(found)
    }
}

impl Writer<'_> {
    /// Sets the value of a name.
    pub(crate) fn put_meta(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.sql(
            "INSERT INTO meta (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )?
        .execute((key, value))?;
        Ok(())
    }

    /// Removes the value of a name.
    pub(crate) fn drop_meta(&self, key: &str) -> Result<(), StoreError> {
        self.sql("DELETE FROM meta WHERE key = ?1")?.execute([key])?;
        Ok(())
    }
}
