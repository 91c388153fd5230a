//! Files for the owner only, and the files next to a database.

use std::fs;
use std::path::{Path, PathBuf};

use crate::db::error::StoreError;

/// The file with this suffix that SQLite keeps next to a database.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether database and directory are writable, found by trying instead of reading the modes.
pub(crate) fn is_writable(database: &Path) -> bool {
    let dir = database.parent().unwrap_or(Path::new("."));
    fs::OpenOptions::new().write(true).open(database).is_ok()
        && tempfile::Builder::new().prefix(".nudge-probe-").tempfile_in(dir).is_ok()
}

/// Creates a file that only its owner can read; an existing one is an error.
pub(crate) fn private_file(path: &Path) -> Result<fs::File, StoreError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| StoreError::io(path, e))
}

/// Creates a directory that only its owner can use, with its parents; existing ones are unchanged.
pub(crate) fn private_dir(dir: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|e| StoreError::io(dir, e))
}
