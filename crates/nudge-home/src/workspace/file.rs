//! A file that was read, and a file that was written.

use super::fresh::KnownFile;
use super::hash::FileHash;

/// A text file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The whole text, unchanged.
    pub text: String,
    /// The hash of its bytes.
    pub hash: FileHash,
    /// How many bytes were read.
    pub size: u64,
    /// When the file was last modified, as of just before the read.
    pub modified_ms: i64,
    /// When its content or attributes last changed, if the system says so.
    pub changed_ms: Option<i64>,
    /// The file's number on its disk, if the system has one.
    pub file_id: Option<u64>,
    /// When the read began.
    pub read_ms: i64,
}

impl FileText {
    /// What to remember, so that a later scan can tell whether the file is still the same.
    pub const fn known(&self) -> KnownFile {
        KnownFile {
            size: self.size,
            modified_ms: self.modified_ms,
            changed_ms: self.changed_ms,
            file_id: self.file_id,
            hash: self.hash,
            hashed_ms: self.read_ms,
        }
    }
}

/// What must be true of a file before it is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing: whatever is there may be replaced.
    Any,
    /// There is no such file.
    Absent,
    /// The file has this content.
    Hash(FileHash),
}

/// A finished write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The hash of the new content.
    pub hash: FileHash,
    /// Its size in bytes.
    pub size: u64,
    /// The modification time of the new file.
    pub modified_ms: i64,
    /// Whether there was no file before.
    pub created: bool,
}
