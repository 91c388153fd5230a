//! Small tables about the store as a whole: single values by name, counts, hashes, positions.

use nudge_core::Timestamp;
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

// Counts of what was not stored, because it was already there or added nothing new.

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

// Hashes of contents, under a key that never leaves the store.
//
// Anyone can confirm a guess at a content against its plain hash. A keyed hash only distinguishes
// contents within one store: an export, a log or another store contains nothing to test guesses
// against.

impl Reader<'_> {
    /// The hash under the key of this store; `None` if nothing was hashed here yet.
    pub fn keyed_if_known(&self, hash: &str) -> Result<Option<String>, StoreError> {
        Ok(self.known_key()?.map(|key| under(&key, hash)))
    }

    fn known_key(&self) -> Result<Option<String>, StoreError> {
        let mut found = self.sql("SELECT value FROM meta WHERE key = 'content_key'")?;
        Ok(found.query_row([], |row| row.get(0)).optional()?)
    }
}

fn under(key: &str, hash: &str) -> String {
    let key = blake3::derive_key("nudge content hash v1", key.as_bytes());
    blake3::keyed_hash(&key, hash.as_bytes()).to_hex()[..16].to_owned()
}

impl Writer<'_> {
    /// The hash under the key of this store, in sixteen digits.
    pub fn keyed(&self, hash: &str) -> Result<String, StoreError> {
        Ok(under(&self.content_key()?, hash))
    }

    /// The key, created when first needed.
    fn content_key(&self) -> Result<String, StoreError> {
        if let Some(key) = self.known_key()? {
            return Ok(key);
        }
        self.sql(
            "INSERT OR IGNORE INTO meta (key, value) VALUES ('content_key', lower(hex(randomblob(32))))",
        )?
        .execute([])?;
        Ok(self.known_key()?.unwrap_or_default())
    }
}

// How far a file that is read piece by piece was read.

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
