//! The log file, with rotation.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nudge_store::{FileId, FileState};

/// A log larger than this is rotated; one older file is kept.
const ROTATE_AT: u64 = 1024 * 1024;

/// `server.log`, which several servers may share.
pub(super) struct LogFile {
    dir: PathBuf,
    file: File,
}

impl LogFile {
    /// Opens the log in that directory. Creates a missing directory.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        nudge_home::home::private_dir::create(dir)?;
        let mut log = Self { file: append(dir)?, dir: dir.to_owned() };
        log.put_aside_if_grown()?;
        Ok(log)
    }

    fn put_aside_if_grown(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() <= ROTATE_AT {
            return Ok(());
        }
        // Another server that shares the log may have rotated it already.
        let path = self.dir.join("server.log");
        if FileId::of(&self.file)?.state_at(&path) == FileState::There {
            std::fs::rename(&path, self.dir.join("server.log.1"))?;
        }
        self.file = append(&self.dir)?;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // If the log cannot be rotated, keep writing to it.
        let _ = self.put_aside_if_grown();
        self.file.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens the log for appending.
pub(super) fn append(dir: &Path) -> io::Result<File> {
    nudge_home::home::private_file::append(&dir.join("server.log"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_grown_log_is_put_aside_at_the_start_and_while_it_is_written() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let dir = dir.path().join("logs");
        let mut one = LogFile::open(&dir).expect("a log");
        let mut other = LogFile::open(&dir).expect("the same log");
        let (path, aside) = (dir.join("server.log"), dir.join("server.log.1"));
        let size = |path: &Path| std::fs::metadata(path).expect("metadata").len();
        assert_eq!(std::fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o600);
        one.file.set_len(ROTATE_AT + 1).expect("grown");
        one.write_all(b"one\n").expect("written");
        other.write_all(b"other\n").expect("written");
        assert_eq!((size(&path), size(&aside)), (10, ROTATE_AT + 1));
        one.file.set_len(ROTATE_AT + 2).expect("grown");
        drop(LogFile::open(&dir).expect("a log"));
        assert_eq!((size(&path), size(&aside)), (0, ROTATE_AT + 2));
    }
}
