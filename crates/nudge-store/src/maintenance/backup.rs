//! Copies of a whole store.

use std::path::Path;

use crate::db::backup_file;
use crate::db::error::StoreError;
use crate::db::store::Store;

impl Store {
    /// Writes a copy of the current store to `path`. An existing file is replaced only when the
    /// copy is complete. Other processes may keep writing. Half-written backups of the memory are
    /// removed first.
    pub fn backup_to(&self, path: &Path) -> Result<(), StoreError> {
        self.remove_abandoned_drafts();
        let connection = self.connection()?;
        backup_file::copy_to(connection.raw(), path)
    }

    /// Removes half-written backups that killed processes left, and returns how many.
    pub fn remove_abandoned_drafts(&self) -> u64 {
        self.options.backups.as_deref().map_or(0, backup_file::remove_abandoned_drafts)
    }
}
