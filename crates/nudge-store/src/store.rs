//! The store: reads over one snapshot, writes in one transaction.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::access::{Access, ReadOnlyReason};
use crate::error::StoreError;
use crate::line::Durability;
use crate::migrate::LATEST;
use crate::open::{self, Location, OpenOptions};
use crate::pool::{Lent, Pool};
use crate::reader::Reader;
use crate::session;
use crate::writer::Writer;

/// An open store. Threads share it; each call borrows a connection of its own.
pub struct Store {
    pub(crate) options: OpenOptions,
    access: Access,
    pool: Pool,
    /// Threads of this process queue here rather than at the file's lock, where they would have to poll.
    pub(crate) turn: Mutex<()>,
}

impl Store {
    /// Opens a store, making or upgrading it where need be.
    pub fn open(options: &OpenOptions) -> Result<Self, StoreError> {
        let (line, access) = open::first(options)?;
        let single = options.location == Location::Memory;
        Ok(Self { options: options.clone(), access, pool: Pool::new(line, single), turn: Mutex::new(()) })
    }

    /// Opens a store for writing within a deadline: it is made if there is none, but never upgraded
    /// ([`StoreError::NeedsMigration`]) and never opened for reading alone.
    pub fn open_promptly(options: &OpenOptions) -> Result<Self, StoreError> {
        let line = open::promptly(options)?;
        let single = options.location == Location::Memory;
        Ok(Self {
            options: options.clone(),
            access: Access::ReadWrite,
            pool: Pool::new(line, single),
            turn: Mutex::new(()),
        })
    }

    /// What the store may be used for.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Reads; everything `f` sees comes from one snapshot.
    ///
    /// `f` must not call back into a store that lives in memory: it holds its only connection.
    pub fn read<T, E: From<StoreError>>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T, E>) -> Result<T, E> {
        let line = self.line()?;
        line.begin_read()?;
        f(&Reader::new(line.conn(), &self.options))
    }

    /// Writes; all that `f` does is kept together, or none of it when `f` or the commit fails.
    ///
    /// When this returns `Ok`, the write is as safe as `durability` says. `f` must not call
    /// [`Store::write`] again.
    pub fn write<T, E: From<StoreError>>(
        &self,
        durability: Durability,
        f: impl FnOnce(&Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if let Access::ReadOnly { reason } = &self.access {
            return Err(self.read_only(reason.clone()).into());
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let line = self.line()?;
        line.begin_write(durability, self.options.busy)?;
        let found = line.version()?;
        if found > LATEST {
            // A newer program has upgraded the database since we opened it.
            return Err(self.read_only(ReadOnlyReason::NewerSchema { found, known: LATEST }).into());
        }
        session::settle(line.conn(), &self.options)?;
        let answer = f(&Writer::new(line.conn(), &self.options))?;
        line.commit(self.options.busy)?;
        Ok(answer)
    }

    /// Where the database lies.
    pub fn location(&self) -> &Location {
        &self.options.location
    }

    /// The database file; `:memory:` for a store that has none.
    pub fn path(&self) -> PathBuf {
        match &self.options.location {
            Location::File(path) => path.clone(),
            Location::Memory => Path::new(":memory:").to_owned(),
        }
    }

    pub(crate) fn line(&self) -> Result<Lent<'_>, StoreError> {
        self.pool.take(|| open::another(&self.options, &self.access))
    }

    #[cfg(test)]
    pub(crate) fn idle(&self) -> usize {
        self.pool.idle()
    }

    fn read_only(&self, reason: ReadOnlyReason) -> StoreError {
        StoreError::ReadOnly { path: self.path(), reason }
    }
}
