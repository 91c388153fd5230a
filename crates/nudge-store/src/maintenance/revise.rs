//! Changes a copy of a store, completely or not at all.

use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::db::error::StoreError;
use crate::db::made;
use crate::db::options::{HostIdentity, Location, OpenOptions};
use crate::db::schema::{self, LATEST};
use crate::db::store::Store;
use crate::db::{backup_file, open};
use nudge_core::Timestamp;

/// How long to wait for a copy that another process has open.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Store {
    /// Applies `work` to a backup and replaces the backup with the rewritten result: removed data
    /// is in no part of the file.
    ///
    /// `work` returns whether it changed anything; if not, the file stays as it is. `None` if the
    /// backup is of a newer version, which cannot be read. An older backup is upgraded if it is
    /// changed.
    pub fn revise_copy<E: From<StoreError>>(
        path: &Path,
        now: Timestamp,
        work: impl FnOnce(&Store) -> Result<bool, E>,
    ) -> Result<Option<bool>, E> {
        let dir = path.parent().unwrap_or(path);
        let draft = NamedTempFile::with_prefix_in(backup_file::DRAFT_PREFIX, dir)
            .map_err(|e| StoreError::io(path, e))?;
        {
            let original = open::read_write(path, BUSY_TIMEOUT)?;
            if schema::version(&original)? > LATEST {
                return Ok(None);
            }
            backup_file::copy_to(&original, draft.path())?;
        }
        let store = Store::open(&OpenOptions {
            location: Location::File(draft.path().to_owned()),
            read_only: false,
            host: HostIdentity::default(),
            now,
            busy: BUSY_TIMEOUT,
            backups: None,
        })?;
        // It is a draft, not a memory.
        made::remove_marker(draft.path())?;
        let changed = work(&store)?;
        if changed {
            let connection = store.connection()?;
            backup_file::copy_to(connection.raw(), path)?;
        }
        drop(store);
        Ok(Some(changed))
    }
}
