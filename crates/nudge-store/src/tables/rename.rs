//! Changes of an entry other than its text: a new path, or a mark that something about it changed.

use nudge_core::{EntryId, EntryPath, Provenance, Timestamp};
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::integrity::LARGEST;
use crate::tables::feed::ChangeKind;
use crate::tables::scheme::TYPED_SCHEMES;
use crate::tables::secret_guard::{SecretGuard, SecretPolicy};
use crate::tables::writer::Writer;

impl Writer<'_> {
    /// Gives an entry another path in its scope, which must be free. Its id stays.
    pub fn rename_entry(
        &self,
        id: EntryId,
        to: &EntryPath,
        by: &Provenance,
        secrets: SecretPolicy,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        let clean = match SecretGuard::of(secrets) {
            Some(guard) => guard.path(to)?.unwrap_or_else(|| to.clone()),
            None => to.clone(),
        };
        if TYPED_SCHEMES.contains(&clean.scheme()) {
            return Err(StoreError::TypedScheme(clean.scheme().to_owned()));
        }
        self.interned.borrow_mut().last_entry = None;
        let (scheme, writer) = (self.scheme_id(clean.scheme())?, self.provenance_id(by)?);
        let version: Option<i64> = self
            .sql(
                "UPDATE entry SET path = ?2, scheme_id = ?3, writer_id = ?4, updated_at = ?5,
                                  version = version + 1
                  WHERE id = ?1 AND version < ?6 RETURNING version",
            )?
            .query_row((id.0, clean.as_str(), scheme, writer, now.as_millis(), LARGEST), |row| row.get(0))
            .optional()?;
        let version = version.ok_or(StoreError::NoEntry(id))?;
        self.append(id, clean.scheme(), ChangeKind::Updated, version, now)?;
        Ok(version)
    }

    /// Says in the feed that something about an entry changed which is stored elsewhere.
    pub fn touch(&self, id: EntryId, now: Timestamp) -> Result<(), StoreError> {
        self.touch_entry(id, ChangeKind::Updated, now)
    }
}
