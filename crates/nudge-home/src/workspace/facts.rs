//! What the system says about one name in a directory.

use std::ffi::OsString;
use std::fmt;

/// What a name stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Something that this program does not know.
    Unknown,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Pipe => "a pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "something else",
        })
    }
}

/// A name in a directory. The kind is what the list says; it may be unknown.
pub(super) type Listed = (OsString, Kind);

/// Facts about one name. Two equal ones mean that nothing was replaced or written in between.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) kind: Kind,
    pub(super) size: u64,
    /// Nanoseconds since 1970.
    pub(super) modified_ns: i128,
    /// When the content or the attributes changed; `None` if the system does not say.
    pub(super) changed_ns: Option<i128>,
    /// Device and number on it.
    pub(super) id: Option<(u64, u64)>,
    pub(super) access: Access,
}

/// Who may do what with a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The bits of the mode; 0 on systems without modes.
    pub(super) mode: u32,
    /// User and group.
    pub(super) owner: Option<(u32, u32)>,
    /// Nobody may write.
    pub(super) read_only: bool,
}

impl Facts {
    /// The modification time in milliseconds.
    pub(super) fn modified_ms(&self) -> i64 {
        millis(self.modified_ns)
    }

    /// The time of the last change in milliseconds.
    pub(super) fn changed_ms(&self) -> Option<i64> {
        self.changed_ns.map(millis)
    }

    /// The number of the file on its device.
    pub(super) fn file_id(&self) -> Option<u64> {
        self.id.map(|(_, number)| number)
    }
}

fn millis(nanos: i128) -> i64 {
    i64::try_from(nanos.div_euclid(1_000_000)).unwrap_or_default()
}
