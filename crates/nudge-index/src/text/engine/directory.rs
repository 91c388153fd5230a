//! The directory that the engine writes to and reads from.
//!
//! A small index is read; the rest of a large one is mapped: see [`Loaded`]. Every lock request of
//! the engine succeeds: the writer's own lock, which dies with its process, decides who may write,
//! and a reader must not need to write anything, so that it works in a read-only home. The seal of
//! a new list of segments is written before the list itself: see [`Seal`].

mod loaded;
mod names;
mod regular;
mod seal;
mod written;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use loaded::Loaded;
pub(crate) use names::{MANAGED, META, SEAL, is_written};
pub(crate) use regular::{ensure_regular, read_regular};
pub(crate) use seal::Seal;
pub(crate) use written::open_private;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct IndexDirectory {
    path: PathBuf,
    files: MmapDirectory,
}

impl IndexDirectory {
    pub(crate) fn open(path: &Path) -> tantivy::Result<Self> {
        Ok(Self { path: path.to_owned(), files: MmapDirectory::open(path)? })
    }

    /// Fails for anything that exists and is not a regular file. The engine reports a missing file.
    fn ensure_regular(&self, path: &Path) -> Result<(), OpenReadError> {
        match ensure_regular(&self.path.join(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(OpenReadError::wrap_io_error(error, path.to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Directory for IndexDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.ensure_regular(path)?;
        match Loaded::open(&self.path.join(path)) {
            Some(loaded) => Ok(loaded),
            None => self.files.get_file_handle(path),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        written::create(&self.path.join(path)).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.ensure_regular(path)?;
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if path == Path::new(META) {
            let seal = Seal::over(&self.path, bytes)?;
            self.files.atomic_write(Path::new(SEAL), &seal.to_bytes())?;
        }
        self.files.atomic_write(path, bytes)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
