//! The directory of the index: private, and used only if it is ours.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use super::LOCK;
use crate::text::engine::directory::{Seal, is_written};

/// Creates the directory, or makes sure that it may be written. Writers remove files, so a
/// directory that may belong to somebody else is rejected.
pub(super) fn claim(directory: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return create_private(directory),
        found => found?,
    };
    if found.is_symlink() {
        return Err(refused(directory, "is a symbolic link; the index needs a directory of its own"));
    }
    if !found.is_dir() {
        return Err(refused(directory, "is not a directory"));
    }
    if !is_ours(directory)? {
        return Err(refused(directory, "holds files and no search index; move them or remove the directory"));
    }
    make_private(directory, &found)?;
    close_files(directory);
    match fs::symlink_metadata(directory.join(LOCK)) {
        Ok(lock) if !lock.is_file() => Err(refused(&directory.join(LOCK), "is not a regular file")),
        _ => Ok(()),
    }
}

/// Whether a writer has used it before, or it is empty.
fn is_ours(directory: &Path) -> io::Result<bool> {
    let has_lock = || fs::symlink_metadata(directory.join(LOCK)).is_ok();
    // Checked again at the end: another writer may have come meanwhile.
    Ok(has_lock()
        || fs::read_dir(directory)?.next().is_none()
        || Seal::read(directory).is_some()
        || has_lock())
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!("{} {why}", path.display()))
}

#[cfg(unix)]
fn create_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn create_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// The index contains the words of the memory, which nobody else may read.
#[cfg(unix)]
fn make_private(directory: &Path, found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))
}

/// Closes files that an earlier version left open to others, as far as possible: the directory
/// itself is closed already.
#[cfg(unix)]
fn close_files(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name == LOCK || is_written(name));
        // The metadata of the entry itself, so that a link is not followed.
        let is_open =
            || entry.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o077 != 0);
        if is_ours && is_open() {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o600));
        }
    }
}

#[cfg(not(unix))]
fn close_files(_: &Path) {}

#[cfg(not(unix))]
fn make_private(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}
