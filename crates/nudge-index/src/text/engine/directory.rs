//! The directory that the engine writes to and reads from.
//!
//! A small index is read; the rest of a large one is mapped: see [`Loaded`]. Every lock request of
//! the engine succeeds: the writer's own lock, which dies with its process, decides who may write,
//! and a reader must not need to write anything, so that it works in a read-only home. The seal of
//! a new list of segments is written before the list itself: see [`Seal`].

mod seal;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use super::directory::seal::{Mark, mark};

pub(crate) use seal::{Seal, ensure_regular, read_regular};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct IndexDirectory {
    path: PathBuf,
    files: MmapDirectory,
}

impl IndexDirectory {
    pub(crate) fn open(path: &Path) -> tantivy::Result<Self> {
        Ok(Self { path: path.to_owned(), files: MmapDirectory::open(path)? })
    }

    /// Fails for anything that exists and is not a regular file. The engine reports a missing file.
    fn ensure_regular(&self, path: &Path) -> Result<(), OpenReadError> {
        match ensure_regular(&self.path.join(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(OpenReadError::wrap_io_error(error, path.to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Directory for IndexDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.ensure_regular(path)?;
        match Loaded::open(&self.path.join(path)) {
            Some(loaded) => Ok(loaded),
            None => self.files.get_file_handle(path),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        create(&self.path.join(path)).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.ensure_regular(path)?;
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if path == Path::new(META_FILE) {
            let seal = Seal::over(&self.path, bytes)?;
            self.files.atomic_write(Path::new(SEAL_FILE), &seal.to_bytes())?;
        }
        self.files.atomic_write(path, bytes)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

// The names of the files that the engine and we write. Any other file in the directory belongs to
// somebody else and stays.

/// The engine's list of segments, which a commit replaces.
pub(crate) const META_FILE: &str = "meta.json";

/// The file of the [`seal`]. The leading dot keeps it out of the engine's own garbage
/// collection.
pub(crate) const SEAL_FILE: &str = ".seal.json";

/// The engine's own list of files it has written.
pub(crate) const MANAGED_FILE: &str = ".managed.json";

/// The extensions of a segment's files. A list of deletions has the number of its commit before the
/// extension.
const SEGMENT_EXTENSIONS: [&str; 7] = ["idx", "pos", "term", "store", "store.temp", "fast", "fieldnorm"];

/// How many random letters and digits end the name of a file that the engine is going to rename.
const RANDOM_CHARS: usize = 6;

/// Whether a writer made a file of this name and may remove it.
pub(crate) fn is_written(name: &str) -> bool {
    matches!(name, META_FILE | SEAL_FILE | MANAGED_FILE | ".tantivy-writer.lock" | ".tantivy-meta.lock")
        || is_temporary(name)
        || is_segment(name)
}

fn is_temporary(name: &str) -> bool {
    name.strip_prefix(".tmp")
        .is_some_and(|end| end.len() == RANDOM_CHARS && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_segment(name: &str) -> bool {
    let Some((id, part)) = name.split_once('.') else { return false };
    let is_id = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_deletions = || {
        part.strip_suffix(".del")
            .is_some_and(|commit| !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_id && (SEGMENT_EXTENSIONS.contains(&part) || is_deletions())
}

// A file that the engine writes: accessible to its owner only, whatever the umask.

/// See the module.
struct Written(File);

/// Creates a file that must not exist yet.
fn create(path: &Path) -> io::Result<WritePtr> {
    let file = open_private(File::options().write(true).create_new(true), path)?;
    Ok(BufWriter::new(Box::new(Written(file))))
}

/// Opens a file with these options; a new file is accessible to its owner only.
pub(crate) fn open_private(options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    make_private(&file)?;
    Ok(file)
}

#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata()?.permissions().mode() & 0o777 == 0o600 {
        return Ok(());
    }
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Written {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()?;
        self.0.sync_data()
    }
}

// Files read with plain reads instead of a memory map.
//
// A process that reads a map past the end of its file is killed (SIGBUS), and a file can be cut at
// any time. A plain read of such a file fails instead, and the index counts as damaged. So the
// first [`MAX_READ_BYTES`] bytes of an index are read like that: pieces on demand, and the whole
// file once
// the pieces together would be as long. The rest of a larger index stays mapped, because a process
// with one query would otherwise read all of it, and a long-running one would keep all of it in
// memory. Maps are protected by the check of file lengths before a search.

/// How many bytes of all open files are read and not mapped: see the module. An index of some
/// 120,000 entries is not larger; reading more would cost every search from the command line
/// milliseconds.
const MAX_READ_BYTES: u64 = 16 * 1024 * 1024;

/// The files open in this process, so that successive commits share what they read. Segments never
/// change.
static OPEN_FILES: LazyLock<Mutex<HashMap<PathBuf, Weak<Loaded>>>> = LazyLock::new(Mutex::default);

/// See the module.
#[derive(Debug)]
struct Loaded {
    file: File,
    length: usize,
    mark: Mark,
    /// How many bytes were read in pieces.
    read: AtomicUsize,
    whole: OnceLock<OwnedBytes>,
}

impl Loaded {
    /// The file at `path`, if there is room to read it. Errors are left for the map to report.
    fn open(path: &Path) -> Option<Arc<Self>> {
        let found = fs::metadata(path).ok()?;
        let mut open = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.get(path).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| known.mark == mark(&found)) {
            return Some(known);
        }
        open.retain(|_, loaded| loaded.strong_count() > 0);
        let taken: u64 = open.values().filter_map(Weak::upgrade).map(|loaded| loaded.length as u64).sum();
        let file = File::open(path).ok()?;
        let found = file.metadata().ok().filter(|found| taken + found.len() <= MAX_READ_BYTES)?;
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
    fn only_what_is_written_here() {
        let id = "0123456789abcdef0123456789abcdef";
        for part in ["idx", "pos", "term", "store", "store.temp", "fast", "fieldnorm", "12.del"] {
            assert!(is_written(&format!("{id}.{part}")), "{part}");
        }
        for name in ["meta.json", ".managed.json", ".seal.json", ".tmpaB3xYz", ".tantivy-writer.lock"] {
            assert!(is_written(name), "{name}");
        }
        for part in ["jpg", "del", "x.del", "idx.bak", ""] {
            assert!(!is_written(&format!("{id}.{part}")), "{part}");
        }
        for name in ["notes.md", ".tmp", ".tmp-notes", "abc.idx", id, ".keeper.lock", "my.json"] {
            assert!(!is_written(name), "{name}");
        }
    }

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
            file.set_len(MAX_READ_BYTES / 2 + 1).expect("grown");
        }
        let loaded = Loaded::open(&first).expect("half of the room");
        assert!(Loaded::open(&second).is_none(), "there is less than that left");
        assert!(Loaded::open(&first).is_some(), "it is in already");
        drop(loaded);
        assert!(Loaded::open(&second).is_some(), "there is room again");
    }
}
