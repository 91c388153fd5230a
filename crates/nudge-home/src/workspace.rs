//! The files of one project root: reading, scanning and writing them without leaving it.
//!
//! Nothing here follows a symbolic link, neither as the file itself nor as one of its directories,
//! and not even one that points inside the root. That is the whole rule, so there is no case to
//! get wrong. A link may be swapped in at any time: every step goes through directory handles that
//! refuse links, never through a path that was checked before.
//!
//! `.git` and Nudge's own directory are not part of any project.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

mod access;
mod beneath;
mod constraint;
mod error;
mod facts;
mod ignored;
mod path;
mod scan;
mod temporary;

pub use constraint::{Constraint, ConstraintKind, constraint_of};
pub use error::FileError;
pub use facts::{Expected, FileHash, FileText, Kind, KnownFile, SETTLED_MS, ScannedFile, Written, is_fresh};
pub use path::{OutsideRoot, RelativePath};
pub use scan::{MAX_CONTENT, MAX_FILES, Scan, ScanRules};

use beneath::Dir;
use error::Fail;
use path::{ExcludedDirs, System};

use crate::home::Home;

/// The homes that were named to this process.
static NAMED_HOMES: Mutex<Vec<Home>> = Mutex::new(Vec::new());

/// From now on keeps the files of a memory out of every root: one that `--home` names may be inside
/// a project.
pub fn keep_out(home: &Home) {
    let mut named = NAMED_HOMES.lock().unwrap_or_else(PoisonError::into_inner);
    if !home.is_default() && !named.contains(home) {
        named.push(home.clone());
    }
}

/// One project root.
///
/// On Unix it is an open directory: if the root is moved, the handle moves along, and if it is
/// deleted, open a new one.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
    excluded: ExcludedDirs,
}

impl Workspace {
    /// Opens a root. The home that this process finds by itself is kept out of it, and so are those
    /// given to [`keep_out`]. Fails for a root inside such a home.
    pub fn open(root: &Path) -> io::Result<Self> {
        let root = std::fs::canonicalize(root)?;
        let dir = Dir::root(&root).map_err(|error| match error {
            Fail::Io(error) => error,
            other => io::Error::new(io::ErrorKind::NotADirectory, other.at(&root.display().to_string())),
        })?;
        let this = Self { root, dir, excluded: ExcludedDirs::default() };
        // Without a home there is nothing to keep out.
        let usual = Home::locate(None, &|name| std::env::var_os(name)).ok();
        let named = NAMED_HOMES.lock().unwrap_or_else(PoisonError::into_inner).clone();
        usual.iter().chain(&named).try_fold(this, Self::keeping_out)
    }

    /// Keeps the files of a memory out of this root as well.
    pub fn keeping_out(mut self, home: &Home) -> io::Result<Self> {
        let config = home.config_file();
        for dir in [Some(home.root()), config.parent()].into_iter().flatten() {
            self.excluded.add(&self.root, dir)?;
        }
        Ok(self)
    }

    /// The real path of the root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Validates the path of an entry: bare, separated by `/`, relative to the root.
    pub fn resolve(&self, path: &str) -> Result<RelativePath, OutsideRoot> {
        let path = RelativePath::parse(path, System::HERE)?;
        self.excluded.check(&path)?;
        Ok(path)
    }

    /// Reads a text file of at most `max` bytes.
    pub fn read(&self, path: &RelativePath, max: u64) -> Result<FileText, FileError> {
        self.excluded.check(path)?;
        access::read(&self.dir, path, max)
    }

    /// Reads a file of any content, of at most `max` bytes.
    pub fn read_bytes(&self, path: &RelativePath, max: u64) -> Result<Vec<u8>, FileError> {
        self.excluded.check(path)?;
        access::read_bytes(&self.dir, path, max)
    }

    /// Writes a whole file if the present one is as expected, and creates missing directories.
    ///
    /// Another process sees the old content or the new, never a part: the text goes to a new file
    /// in the same directory, to the disk, and then takes the name. Mode and, where allowed, owner
    /// stay; extended attributes do not. Another hard link keeps the old content.
    pub fn write(&self, path: &RelativePath, text: &str, expected: Expected) -> Result<Written, FileError> {
        self.excluded.check(path)?;
        access::write(&self.dir, path, text, expected)
    }

    /// Removes a file if it is as expected. With [`Expected::Absent`], a missing file is fine.
    pub fn remove(&self, path: &RelativePath, expected: Expected) -> Result<(), FileError> {
        self.excluded.check(path)?;
        access::remove(&self.dir, path, expected)
    }

    /// Renames a file if it is as expected. `to` must not exist; its missing directories are
    /// created.
    pub fn rename(
        &self,
        from: &RelativePath,
        to: &RelativePath,
        expected: Expected,
    ) -> Result<(), FileError> {
        self.excluded.check(from)?;
        self.excluded.check(to)?;
        access::rename(&self.dir, from, to, expected)
    }

    /// Lists the files. `stop` is asked again and again; once it says yes, the scan ends with what
    /// it has.
    ///
    /// Ignored files are left out: `.gitignore` and `.ignore` in the root, below it, and above it
    /// up to the top of its repository; `info/exclude`; the user's own list. They hold whether or
    /// not the root is a repository. Hidden files are listed, links and `.git` are not.
    pub fn scan(&self, rules: &ScanRules, stop: &dyn Fn() -> bool) -> Scan {
        let around = ignored::Layer::around(&self.root, rules.global_ignore.as_deref());
        scan::scan(&self.dir, around, rules, &|path| self.resolve(path), stop)
    }
}
