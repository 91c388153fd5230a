//! Hashes of contents, under a key that never leaves the store.
//!
//! Anyone can confirm a guess at a content against its plain hash. A keyed hash only distinguishes
//! contents within one store: an export, a log or another store contains nothing to test guesses
//! against.

use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

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
