//! Lists that only this user may read, such as those of tokens and of signed-in browsers.

use std::fs::{File, OpenOptions};
use std::io::{Error, Read, Result};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// A longer file is no such list.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reads one. A link, a pipe or a file of another user under its name is not read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    if !found.is_file() || !is_own || found.mode() & 0o077 != 0 {
        return Err(Error::other("it is not a file that only this user can read"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file beside one that is locked while it changes. It is no link and no pipe.
pub(crate) fn lock_file(path: &Path) -> Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path.with_extension("lock"))
}
