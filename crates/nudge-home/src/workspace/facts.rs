//! What is known of a file: what the system says, its hash, what a scan, a read or a write found,
//! and whether its content is still the one that was hashed.

use std::ffi::OsString;
use std::{fmt, io};

use sha2::{Digest, Sha256};

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

// The hash of a file's content.

/// The SHA-256 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileHash([u8; 32]);

impl FileHash {
    /// No content has this hash: a value for tests.
    #[cfg(test)]
    const ZERO: Self = Self([0; 32]);

    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of everything that a reader gives.
    pub(super) fn of_reader(mut reader: impl io::Read) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(Self(hasher.finalize().into())),
                Ok(count) => hasher.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads 64 hex digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// 64 lowercase hex digits.
impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileHash({self})")
    }
}

/// A file below the root, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedFile {
    /// Its path relative to the root, separated by `/`.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last modified.
    pub modified_ms: i64,
    /// When its content or attributes last changed; `None` if the system does not say.
    pub changed_ms: Option<i64>,
    /// Its number on its disk; `None` if the system has none.
    pub file_id: Option<u64>,
    /// Larger than the limit of the scan: listed, but its content is not wanted.
    pub too_large: bool,
}

// Whether a file still has the content that was hashed, judged without reading it.

/// How much older than its hash a modification time must be, in milliseconds. FAT stores times in
/// steps of two seconds: two writes within one step look the same.
pub const SETTLED_MS: i64 = 2_000;

/// What was remembered when a file was hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its size in bytes.
    pub size: u64,
    /// Its modification time.
    pub modified_ms: i64,
    /// When its content or attributes had last changed; `None` if unknown.
    pub changed_ms: Option<i64>,
    /// Its number on its disk; `None` if unknown.
    pub file_id: Option<u64>,
    /// The hash of its content.
    pub hash: FileHash,
    /// When the reading for the hash began, or earlier, such as the start of that scan.
    pub hashed_ms: i64,
}

/// Whether the known hash still holds for a file that a scan found.
///
/// Size, times and file number must be the same. And the times must have been at least two seconds
/// old when the file was hashed: a younger file could have been written once more without a visible
/// trace. Git has the same rule for its index. Such a file, and one dated in the future, is hashed
/// again.
pub fn is_fresh(known: &KnownFile, found: &ScannedFile) -> bool {
    let is_same = known.size == found.size
        && known.modified_ms == found.modified_ms
        && same_if_known(known.changed_ms, found.changed_ms)
        && same_if_known(known.file_id, found.file_id);
    let newest = known.changed_ms.map_or(known.modified_ms, |changed| changed.max(known.modified_ms));
    is_same && newest <= known.hashed_ms.saturating_sub(SETTLED_MS)
}

fn same_if_known<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

// A file that was read, and a file that was written.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_sha_256_and_survives_its_hex_form() {
        let hash = FileHash::of(b"abc");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.to_string(), hex);
        assert_eq!(FileHash::from_hex(hex), Some(hash));
        assert_eq!(FileHash::of_reader(&b"abc"[..]).expect("read"), hash);
        for bad in ["", "ab", &hex[1..], &hex.replace('b', "g"), &"ü".repeat(32)] {
            assert_eq!(FileHash::from_hex(bad), None);
        }
    }

    const KNOWN: KnownFile = KnownFile {
        size: 5,
        modified_ms: 10_000,
        changed_ms: Some(10_000),
        file_id: Some(7),
        hash: FileHash::ZERO,
        hashed_ms: 12_000,
    };

    fn found() -> ScannedFile {
        ScannedFile {
            path: "a".into(),
            size: 5,
            modified_ms: 10_000,
            changed_ms: Some(10_000),
            file_id: Some(7),
            too_large: false,
        }
    }

    #[test]
    fn an_unchanged_settled_file_is_fresh() {
        assert!(is_fresh(&KNOWN, &found()));
        assert!(is_fresh(&KNOWN, &ScannedFile { changed_ms: None, file_id: None, ..found() }));
    }

    #[test]
    fn any_difference_means_hashing_again() {
        assert!(!is_fresh(&KNOWN, &ScannedFile { size: 6, ..found() }));
        assert!(!is_fresh(&KNOWN, &ScannedFile { modified_ms: 9_999, ..found() }));
        assert!(!is_fresh(&KNOWN, &ScannedFile { changed_ms: Some(10_001), ..found() }));
        assert!(!is_fresh(&KNOWN, &ScannedFile { file_id: Some(8), ..found() }));
    }

    #[test]
    fn a_time_that_was_put_back_just_before_the_hash_is_not_trusted() {
        let known = KnownFile { changed_ms: Some(10_001), ..KNOWN };
        assert!(!is_fresh(&known, &ScannedFile { changed_ms: Some(10_001), ..found() }));
    }

    #[test]
    fn a_file_younger_than_two_seconds_at_its_hash_is_not_trusted() {
        for hashed_ms in [11_999, 10_000, 9_000, i64::MIN] {
            assert!(!is_fresh(&KnownFile { hashed_ms, ..KNOWN }, &found()), "{hashed_ms}");
        }
    }
}
