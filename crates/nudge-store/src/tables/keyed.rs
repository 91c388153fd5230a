//! Hashes of contents, under a key that never leaves the store.
//!
//! A hash of a content tells whoever guesses the content that the guess was right. Under a key it
//! only tells equal contents of one store from others: an export, a log or another store gives
//! nobody anything to try guesses against.

use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::tables::writer::Writer;

impl Writer<'_> {
    /// The same hash under the key of this store, in sixteen digits.
    pub(crate) fn keyed(&self, hash: &str) -> Result<String, StoreError> {
        let key = blake3::derive_key("nudge content hash v1", self.content_key()?.as_bytes());
        Ok(blake3::keyed_hash(&key, hash.as_bytes()).to_hex()[..16].to_owned())
    }

    /// The key, made by the first who needs it.
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
