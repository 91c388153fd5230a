//! The store: reads from one snapshot, writes in one transaction.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::db::access::{Access, ReadOnlyReason};
use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::file_id::FileId;
use crate::db::made;
use crate::db::open_store;
use crate::db::options::{Location, OpenOptions};
use crate::db::pool::{Pool, PooledConnection};
use crate::db::reader::Reader;
use crate::db::schema::LATEST;

/// An open store. Threads share it; each call borrows its own connection.
pub struct Store {
    pub(crate) options: OpenOptions,
    access: Access,
    pool: Pool,
    /// Threads of this process queue here instead of at the file's lock, where they would have to
    /// poll.
    pub(crate) turn: Mutex<()>,
    /// Identifies the file that was opened.
    file: Option<FileId>,
}

impl Store {
    /// Opens a store; creates or upgrades it if necessary.
    pub fn open(options: &OpenOptions) -> Result<Self, StoreError> {
        let (connection, access) = open_store::first(options)?;
        Ok(Self::over(connection, access, options))
    }

    /// Opens a store for writing within a deadline. It is created if missing, but never upgraded
    /// ([`StoreError::NeedsMigration`]) and never opened read-only.
    pub fn open_promptly(options: &OpenOptions) -> Result<Self, StoreError> {
        let connection = open_store::promptly(options)?;
        Ok(Self::over(connection, Access::ReadWrite, options))
    }

    fn over(connection: DbConnection, access: Access, options: &OpenOptions) -> Self {
        let file = match &options.location {
            Location::File(path) => FileId::at(path).ok(),
            Location::Memory => None,
        };
        let single = options.location == Location::Memory;
        let pool = Pool::new(connection, single);
        Self { options: options.clone(), access, pool, turn: Mutex::new(()), file }
    }

    /// What the store may be used for.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Reads; everything `f` sees comes from one snapshot.
    ///
    /// `f` must not call back into an in-memory store: `f` already uses its only connection.
    pub fn read<T, E: From<StoreError>>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T, E>) -> Result<T, E> {
        let connection = self.connection()?;
        connection.begin_read()?;
        f(&Reader::new(connection.raw(), &self.options))
    }

    /// Checks, before a write is acknowledged, that it went to the file that others open. Costs one
    /// file system lookup.
    pub(crate) fn ensure_still_there(&self) -> Result<(), StoreError> {
        match (&self.options.location, self.file) {
            (Location::File(path), Some(file)) => made::ensure_same_file(file, path),
            _ => Ok(()),
        }
    }

    /// Where the database is.
    pub fn location(&self) -> &Location {
        &self.options.location
    }

    /// The database file; `:memory:` for an in-memory store.
    pub fn path(&self) -> PathBuf {
        match &self.options.location {
            Location::File(path) => path.clone(),
            Location::Memory => Path::new(":memory:").to_owned(),
        }
    }

    pub(crate) fn connection(&self) -> Result<PooledConnection<'_>, StoreError> {
        self.pool.take(|| open_store::another(&self.options, &self.access, self.file))
    }

    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.pool.idle()
    }

    /// Fails if the store is read-only.
    pub(crate) fn ensure_writable(&self) -> Result<(), StoreError> {
        match &self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly { reason } => Err(self.read_only(reason.clone())),
        }
    }

    /// Fails if a newer program has upgraded the database since it was opened.
    pub(crate) fn ensure_known_schema(&self, connection: &DbConnection) -> Result<(), StoreError> {
        match connection.version()? {
            found if found > LATEST => {
                Err(self.read_only(ReadOnlyReason::NewerSchema { found, known: LATEST }))
            }
            _ => Ok(()),
        }
    }

    fn read_only(&self, reason: ReadOnlyReason) -> StoreError {
        StoreError::ReadOnly { path: self.path(), reason }
    }
}
