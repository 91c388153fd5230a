//! How a reader checks with a few `stat` calls that no file was changed outside the engine.
//!
//! The seal lists every file with its length, time and inode as the writer left it, and the
//! checksum of the list of segments before and after its commit. It is written before that list, so
//! a crash between the two leaves a valid pair. A file that differs is not necessarily damaged (a
//! copied home, a restored backup): its own checksum decides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::{META_FILE, SEAL_FILE};

/// See the module.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seal {
    lists: Vec<u64>,
    files: BTreeMap<String, Mark>,
}

/// What `stat` reports about a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark(u64, u64, u64);

impl Seal {
    /// The seal of the current files in `directory`, for a list of segments that is about to be
    /// written.
    pub(super) fn over(directory: &Path, list: &[u8]) -> io::Result<Self> {
        let mut lists = vec![checksum(list)];
        if let Ok(before) = read_regular(&directory.join(META_FILE)) {
            lists.push(checksum(&before));
        }
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.')
                && name != META_FILE
                && let Ok(metadata) = entry.metadata()
            {
                files.insert(name, mark(&metadata));
            }
        }
        Ok(Self { lists, files })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("names and numbers are always JSON");
        bytes.extend_from_slice(format!("\n{:x}", checksum(&bytes)).as_bytes());
        bytes
    }

    /// The seal in `directory`; `None` if there is none, or it was tampered with.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let bytes = read_regular(&directory.join(SEAL_FILE)).ok()?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n')?;
        let (body, sum) = (&bytes[..end], std::str::from_utf8(&bytes[end + 1..]).ok()?);
        if u64::from_str_radix(sum, 16).ok()? != checksum(body) {
            return None;
        }
        serde_json::from_slice(body).ok()
    }

    /// Whether the writer wrote this list of segments.
    pub(crate) fn knows_list(&self, list: &[u8]) -> bool {
        self.lists.contains(&checksum(list))
    }

    /// Whether the file has the length that the writer left. That is enough to read it safely.
    pub(crate) fn is_whole(&self, directory: &Path, file: &Path) -> bool {
        match fs::metadata(directory.join(file)) {
            Err(error) => error.kind() == io::ErrorKind::NotFound,
            Ok(metadata) => {
                self.files.get(&*file.to_string_lossy()).is_some_and(|mark| mark.0 == metadata.len())
            }
        }
    }

    /// Whether the file is as the writer left it. The engine reports a missing file.
    pub(crate) fn is_unchanged(&self, directory: &Path, file: &PathBuf) -> bool {
        match fs::metadata(directory.join(file)) {
            Err(error) => error.kind() == io::ErrorKind::NotFound,
            Ok(metadata) => self.files.get(&*file.to_string_lossy()) == Some(&mark(&metadata)),
        }
    }
}

pub(super) fn mark(metadata: &fs::Metadata) -> Mark {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Mark(metadata.len(), modified.map_or(0, |time| time.as_nanos() as u64), inode(metadata))
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

/// FNV-1a: the lists are a few kilobytes, and this protects against accidents, not against an
/// attacker, who could write a seal of their own.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

// Reads regular files only: opening a pipe waits for its writer, which may never come.

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
