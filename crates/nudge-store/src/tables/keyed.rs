//! Hashes of contents, under a key that never leaves the store.
//!
//! Anyone can confirm a guess at a content against its plain hash. A keyed hash only distinguishes
//! contents within one store: an export, a log or another store contains nothing to test guesses
//! against.

use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::tables::writer::Writer;

impl Writer<'_> {
    /// The hash under the key of this store, in sixteen digits.
    pub(crate) fn keyed(&self, hash: &str) -> Result<String, StoreError> {
        let key = blake3::derive_key("nudge content hash v1", self.content_key()?.as_bytes());
        Ok(blake3::keyed_hash(&key, hash.as_bytes()).to_hex()[..16].to_owned())
    }

    /// The key, created when first needed.
    fn content_key(&self) -> Result<String, StoreError> {
        let read = || -> Result<Option<String>, StoreError> {
            let found =
                self.sql("SELECT value FROM meta WHERE key = 'content_key'")?.query_row([], |row| row.get(0));
            Ok(found.optional()?)
        };
        if let Some(key) = read()? {
            return Ok(key);
        }
        self.sql(
            "INSERT OR IGNORE INTO meta (key, value) VALUES ('content_key', lower(hex(randomblob(32))))",
        )?
        .execute([])?;
        Ok(read()?.unwrap_or_default())
    }
}
