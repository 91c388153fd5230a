//! The spool: captured events that could not be stored in time, waiting for the next process that
//! opens the memory.
//!
//! `run/spool/` contains lines of JSON, one captured event each, redacted before they are written.
//! Writers append to `moments.jsonl` under a lock that each takes for microseconds. The next opener
//! renames that file and moves it into the memory line by line. An event that is both stored and
//! spooled is stored once, because of its identity. Every step here may therefore be repeated.

mod redacted;
mod take;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::capture::CapturedEvent;
use nudge_home::home::{Home, private_dir, private_file};
pub use take::{DrainReport, drain_spool};

/// The file that is appended to.
const OPEN_FILE: &str = "moments.jsonl";

/// The name of a file renamed for processing: this prefix, a number, `-`, and how many of its bytes
/// are done.
const TAKEN_PREFIX: &str = "taken-";

/// How long an append waits for the lock. Each holder needs only microseconds. After that, the
/// event gets a file of its own.
const TIMEOUT: Duration = Duration::from_millis(8);

/// How often the directory is recreated if it keeps disappearing.
const RECREATE_TRIES: u32 = 20;

/// The spool of one home directory.
pub struct Spool {
    home: Home,
    dir: PathBuf,
}

impl Spool {
    /// The spool of this home; opens nothing yet.
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone(), dir: home.run_dir().join("spool") }
    }

    /// Appends a captured event, without any credentials. On return, the file contains all of it or
    /// nothing.
    pub fn append(&self, captured: &CapturedEvent) -> io::Result<()> {
        let mut line = redacted::line(captured)?;
        line.push(b'\n');
        let began = Instant::now();
        loop {
            let file = match self.open(OPEN_FILE) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.recreate_dir()?;
                    continue;
                }
                opened => opened?,
            };
            match file.try_lock() {
                Ok(()) if self.is_still(&file) => return append_whole(&file, line),
                // Another process renamed the file in the meantime; open again to get a new one.
                Ok(()) => {}
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if began.elapsed() < TIMEOUT => {
                    std::thread::sleep(Duration::from_micros(100));
                }
                Err(TryLockError::WouldBlock) => match self.append_to_own_file(&line) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => self.recreate_dir()?,
                    appended => return appended,
                },
            }
        }
    }

    /// How many bytes are waiting.
    pub fn waiting_bytes(&self) -> u64 {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        files
            .filter_map(|file| file.metadata().ok())
            .filter(fs::Metadata::is_file)
            .map(|found| found.len())
            .sum()
    }

    /// Writes the line to a separate file, named so that the next reader of the spool finds it.
    fn append_to_own_file(&self, line: &[u8]) -> io::Result<()> {
        let nanos =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{TAKEN_PREFIX}{nanos}{}-0.jsonl", std::process::id());
        // The file is complete before it gets the name under which it is found.
        let draft = self.dir.join(format!(".{name}"));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        append_whole(&file, line.to_vec())
            .and_then(|()| fs::rename(&draft, self.dir.join(&name)))
            .inspect_err(|_| drop(fs::remove_file(&draft)))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        // A symlink as the parent directory would redirect the whole spool.
        private_dir::refuse_link(&self.home.run_dir())?;
        private_file::append(&self.dir.join(name))
    }

    /// Creates the directory. A process that finds it empty removes it, perhaps at the same time.
    fn recreate_dir(&self) -> io::Result<()> {
        for _ in 0..RECREATE_TRIES {
            match self.make() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => return made,
            }
        }
        self.make()
    }

    fn make(&self) -> io::Result<()> {
        self.home.secure_run_dir().map_err(|fault| {
            let full = fault.message.contains("No space left");
            io::Error::new(
                if full { io::ErrorKind::StorageFull } else { io::ErrorKind::PermissionDenied },
                fault.message,
            )
        })?;
        private_dir::create(&self.dir)
    }

    /// Whether `file` still has the name that other writers open.
    fn is_still(&self, file: &File) -> bool {
        let there = fs::metadata(self.dir.join(OPEN_FILE));
        let ours = file.metadata();
        matches!((there, ours), (Ok(there), Ok(ours)) if there.ino() == ours.ino() && there.dev() == ours.dev())
    }
}

/// Appends a line to a locked file. A partial write is undone.
fn append_whole(file: &File, mut line: Vec<u8>) -> io::Result<()> {
    let before = file.metadata()?.len();
    if before > 0 {
        let mut last = [0];
        file.read_exact_at(&mut last, before - 1)?;
        if last != *b"\n" {
            // A writer died in the middle of its line; this line must not become part of it.
            line.insert(0, b'\n');
        }
    }
    io::Write::write_all(&mut &*file, &line).inspect_err(|_| drop(file.set_len(before)))
}

#[cfg(test)]
mod tests;
