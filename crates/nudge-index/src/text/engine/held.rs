//! Watches the files of an open commit for one that was truncated.
//!
//! The engine maps what does not fit into memory, and a process that reads a map past the end of
//! its file is killed (SIGBUS). So the lengths are checked before every search. If a file in memory
//! is truncated between that check and the read, the read fails (see `directory/loaded.rs`); a map
//! that is truncated there cannot be caught.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::directory::ensure_regular;

/// This many files are kept open (0.44 µs a check), the others are looked up by name (1.05 µs); a
/// segment has six or seven. Some systems allow a process no more than 256 open files, and while
/// commits follow each other two or three of them are in use.
const MOST_OPEN: usize = 64;

/// See the module.
pub(super) struct WatchedFiles(Vec<Watched>);

struct Watched {
    path: PathBuf,
    file: Option<File>,
    length: u64,
}

impl WatchedFiles {
    /// Records the current lengths of `files`. The engine reports a missing one.
    pub(super) fn open(directory: &Path, files: &[PathBuf]) -> io::Result<Self> {
        let mut held = Vec::with_capacity(files.len());
        for file in files {
            match Watched::open(directory.join(file), held.len() < MOST_OPEN) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                watched => held.push(watched?),
            }
        }
        Ok(Self(held))
    }

    /// Whether each still has its length.
    pub(super) fn is_whole(&self) -> bool {
        self.0.iter().all(Watched::is_whole)
    }
}

impl Watched {
    fn open(path: PathBuf, is_kept_open: bool) -> io::Result<Self> {
        ensure_regular(&path)?;
        let length = fs::metadata(&path)?.len();
        // Without a free file descriptor it is looked up by name, too.
        let file = if is_kept_open { File::open(&path).ok() } else { None };
        Ok(Self { path, file, length })
    }

    fn is_whole(&self) -> bool {
        let found = match &self.file {
            Some(file) => file.metadata(),
            None => fs::metadata(&self.path),
        };
        match found {
            Ok(metadata) => metadata.len() == self.length,
            // The map outlives the name, and nobody can truncate a file without a name.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_file_is_noticed_open_or_not() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let files: Vec<PathBuf> = (0..MOST_OPEN + 2).map(|number| format!("{number}").into()).collect();
        for file in &files {
            fs::write(home.path().join(file), "whole").expect("writable");
        }
        for file in [&files[0], &files[MOST_OPEN + 1]] {
            let held = WatchedFiles::open(home.path(), &files).expect("readable");
            assert!(held.is_whole());
            fs::write(home.path().join(file), "cut").expect("writable");
            assert!(!held.is_whole(), "{file:?}");
            fs::remove_file(home.path().join(file)).expect("removable");
        }
        let held = WatchedFiles::open(home.path(), &files).expect("those that are there");
        fs::remove_dir_all(home.path()).expect("removable");
        assert!(held.is_whole(), "what was removed can still be read");
    }
}
