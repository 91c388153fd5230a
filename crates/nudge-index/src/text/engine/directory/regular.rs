//! Reads regular files only: opening a pipe waits for its writer, which may never come.

use std::path::Path;
use std::{fs, io};

/// The bytes of a regular file; fails for anything else without opening it.
pub(crate) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    ensure_regular(path)?;
    fs::read(path)
}

/// Fails for anything that is not a regular file, without opening it.
pub(crate) fn ensure_regular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "not a regular file"))
}
