//! Files read with plain reads instead of a memory map.
//!
//! A process that reads a map past the end of its file is killed (SIGBUS), and a file can be cut at
//! any time. A plain read of such a file fails instead, and the index counts as damaged. So the
//! first [`MOST`] bytes of an index are read like that: pieces on demand, and the whole file once
//! the pieces together would be as long. The rest of a larger index stays mapped, because a process
//! with one query would otherwise read all of it, and a long-running one would keep all of it in
//! memory. Maps are protected by the check of file lengths before a search.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use tantivy::HasLen;
use tantivy::directory::{FileHandle, OwnedBytes};

use super::seal::{Mark, mark};

/// How many bytes of all open files are read and not mapped: see the module. An index of some
/// 120,000 entries is not larger; reading more would cost every search from the command line
/// milliseconds.
pub(super) const MOST: u64 = 16 * 1024 * 1024;

/// The files open in this process, so that successive commits share what they read. Segments never
/// change.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<Loaded>>>> = LazyLock::new(Mutex::default);

/// See the module.
#[derive(Debug)]
pub(super) struct Loaded {
    file: File,
    length: usize,
    mark: Mark,
    /// How many bytes were read in pieces.
    read: AtomicUsize,
    whole: OnceLock<OwnedBytes>,
}

impl Loaded {
    /// The file at `path`, if there is room to read it. Errors are left for the map to report.
    pub(super) fn open(path: &Path) -> Option<Arc<Self>> {
        let found = fs::metadata(path).ok()?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.get(path).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| known.mark == mark(&found)) {
            return Some(known);
        }
        open.retain(|_, loaded| loaded.strong_count() > 0);
        let taken: u64 = open.values().filter_map(Weak::upgrade).map(|loaded| loaded.length as u64).sum();
        let file = File::open(path).ok()?;
        let found = file.metadata().ok().filter(|found| taken + found.len() <= MOST)?;
        let loaded = Arc::new(Self {
            file,
            length: usize::try_from(found.len()).ok()?,
            mark: mark(&found),
            read: AtomicUsize::new(0),
            whole: OnceLock::new(),
        });
        open.insert(path.to_owned(), Arc::downgrade(&loaded));
        Some(loaded)
    }

    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        read_exact_at(&self.file, &mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

impl FileHandle for Loaded {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.length {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if let Some(whole) = self.whole.get() {
            return Ok(whole.slice(range));
        }
        let before = self.read.fetch_add(range.len(), Ordering::Relaxed);
        if before.saturating_add(range.len()) < self.length {
            return self.read(range);
        }
        let whole = self.read(0..self.length)?;
        Ok(self.whole.get_or_init(|| whole).slice(range))
    }
}

impl HasLen for Loaded {
    fn len(&self) -> usize {
        self.length
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_cut_fails_and_kills_nobody() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("file");
        fs::write(&path, vec![7; 9_000]).expect("writable");
        let loaded = Loaded::open(&path).expect("small");
        assert_eq!(loaded.read_bytes(5..9).expect("a piece").as_slice(), [7; 4]);
        File::options().write(true).open(&path).expect("there").set_len(10).expect("cut");
        assert_eq!(loaded.read_bytes(5..9).expect("a piece").as_slice(), [7; 4]);
        assert!(loaded.read_bytes(0..6_000).is_err() && loaded.read_bytes(8..12).is_err());
        let again = Loaded::open(&path).expect("small");
        assert_eq!(again.len(), 10, "another length is another file");
    }

    #[test]
    fn what_is_read_whole_outlives_its_file_and_is_shared() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("file");
        fs::write(&path, vec![7; 9_000]).expect("writable");
        let loaded = Loaded::open(&path).expect("small");
        assert!(Arc::ptr_eq(&loaded, &Loaded::open(&path).expect("small")));
        loaded.read_bytes(0..6_000).expect("a piece");
        loaded.read_bytes(0..6_000).expect("as much as the whole");
        fs::write(&path, "").expect("cut");
        assert_eq!(loaded.read_bytes(8_000..8_002).expect("from memory").as_slice(), [7; 2]);
    }

    #[test]
    fn what_does_not_fit_any_more_is_not_read() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let [first, second] = ["first", "second"].map(|name| home.path().join(name));
        for path in [&first, &second] {
            let file = File::create(path).expect("writable");
            file.set_len(MOST / 2 + 1).expect("grown");
        }
        let loaded = Loaded::open(&first).expect("half of the room");
        assert!(Loaded::open(&second).is_none(), "there is less than that left");
        assert!(Loaded::open(&first).is_some(), "it is in already");
        drop(loaded);
        assert!(Loaded::open(&second).is_some(), "there is room again");
    }
}
