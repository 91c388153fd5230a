//! The one place that opens files of the home that are written again and again: the drop record, the spool, the logs,
//! the pauses.
//!
//! What lies under such a name may have been put there by somebody else. A link could lead anywhere, and a pipe has nobody at
//! its other end, so neither is followed nor waited for.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::private_dir;

/// Opens for reading and writing, and makes the file, for its owner alone, if there is none.
pub fn read_write(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// Opens for reading and for writing at the end, and makes the file, for its owner alone, if there is none.
pub fn append(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).append(true).create(true))
}

/// Opens what is there for reading.
pub fn read(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // The name alone would not do: its directory may be a link, too.
    if let Some(dir) = path.parent() {
        private_dir::refuse_link(dir)?;
    }
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    options.open(path)
}
