//! The one place that opens the files of the home that are written repeatedly: the drop record, the
//! spool, the logs, the pauses.
//!
//! Somebody else may have put something else under such a name. A link could lead anywhere, and a
//! pipe may have no other end, so links are not followed and pipes never block.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::private_dir;

/// Opens for reading and writing. Creates a missing file with access for its owner only.
pub fn read_write(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// Opens for reading and appending. Creates a missing file with access for its owner only.
pub fn append(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).append(true).create(true))
}

/// Opens an existing file for reading.
pub fn read(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Checking the name alone is not enough: its directory may be a link too.
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
