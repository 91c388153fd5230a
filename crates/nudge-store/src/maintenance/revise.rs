//! Changing a copy of a store, whole or not at all.

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

/// How long a copy that somebody else has open is waited for.
const BUSY: Duration = Duration::from_secs(5);

impl Store {
    /// Works on a backup and puts the result in its place, written anew: what was taken out is in
    /// no part of the file.
    ///
    /// `work` says whether it changed anything; if not, the file stays as it is. `None` when the
    /// backup is of a newer version, which cannot be read. An older one is brought to this version
    /// where it is changed.
    pub fn revise_copy<E: From<StoreError>>(
        path: &Path,
        now: Timestamp,
        work: impl FnOnce(&Store) -> Result<bool, E>,
    ) -> Result<Option<bool>, E> {
        let dir = path.parent().unwrap_or(path);
        let draft = NamedTempFile::with_prefix_in(backup_file::DRAFT_PREFIX, dir)
            .map_err(|e| StoreError::io(path, e))?;
        {
            let original = open::read_write(path, BUSY)?;
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
            busy: BUSY,
            backups: None,
        })?;
        // It is a draft, and nobody's memory.
        made::forget(draft.path())?;
        let changed = work(&store)?;
        if changed {
            let connection = store.connection()?;
            backup_file::copy_to(connection.raw(), path)?;
        }
        drop(store);
        Ok(Some(changed))
    }
}
