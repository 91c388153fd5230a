//! The spool: moments that could not be stored in time, waiting for whoever opens the memory next.
//!
//! `run/spool/` holds lines of JSON, one moment each, redacted before they are written. Writers append to
//! `moments.jsonl` under a lock that each holds for microseconds; [`take_in`] puts that file aside under a name of its own and
//! brings line after line into the memory. A moment that is stored and spooled is stored once: its
//! identity sees to that, so every step here may be repeated.

mod redacted;
mod take;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::capture::Moment;
use nudge_home::home::{Home, private_dir, private_file};
pub use take::{Taken, take_in};

/// The file that is appended to.
const OPEN_FILE: &str = "moments.jsonl";

/// How files are called that were put aside to be taken in: this, a number, `-`, and how many bytes of it are done.
const TAKEN_PREFIX: &str = "taken-";

/// How long an append waits for others, each of whom needs microseconds. After that it makes a file of its own.
const PATIENCE: Duration = Duration::from_millis(8);

/// How often the directory is made again when it is gone at once.
const MAKE_AGAIN: u32 = 20;

/// The spool of one home.
pub struct Spool {
    home: Home,
    dir: PathBuf,
}

impl Spool {
    /// The spool of that home; nothing is opened yet.
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone(), dir: home.run_dir().join("spool") }
    }

    /// Adds a moment, without any credential it holds. When this returns, it is in the file whole, or not at all.
    pub fn append(&self, moment: &Moment) -> io::Result<()> {
        let mut line = redacted::line(moment)?;
        line.push(b'\n');
        let began = Instant::now();
        loop {
            let file = match self.open(OPEN_FILE) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.make_again()?;
                    continue;
                }
                opened => opened?,
            };
            match file.try_lock() {
                Ok(()) if self.is_still(&file) => return append_whole(&file, line),
                // Put aside by a taker in the meantime: the next one to open is a new file.
                Ok(()) => {}
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_micros(100));
                }
                Err(TryLockError::WouldBlock) => match self.append_apart(&line) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_again()?,
                    appended => return appended,
                },
            }
        }
    }

    /// How many bytes wait to be taken in.
    pub fn waiting_bytes(&self) -> u64 {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        files
            .filter_map(|file| file.metadata().ok())
            .filter(fs::Metadata::is_file)
            .map(|found| found.len())
            .sum()
    }

    /// A file of our own, named so that the next taker finds it.
    fn append_apart(&self, line: &[u8]) -> io::Result<()> {
        let nanos =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{TAKEN_PREFIX}{nanos}{}-0.jsonl", std::process::id());
        // Complete before it has the name under which it is found.
        let draft = self.dir.join(format!(".{name}"));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        append_whole(&file, line.to_vec())
            .and_then(|()| fs::rename(&draft, self.dir.join(&name)))
            .inspect_err(|_| drop(fs::remove_file(&draft)))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        // The directory above is where a link would lead all of the spool astray.
        private_dir::refuse_link(&self.home.run_dir())?;
        private_file::append(&self.dir.join(name))
    }

    /// Makes the directory. A taker that finds it empty removes it, perhaps while it is being made.
    fn make_again(&self) -> io::Result<()> {
        for _ in 0..MAKE_AGAIN {
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

    /// Whether the file is the one that others find under the name.
    fn is_still(&self, file: &File) -> bool {
        let there = fs::metadata(self.dir.join(OPEN_FILE));
        let ours = file.metadata();
        matches!((there, ours), (Ok(there), Ok(ours)) if there.ino() == ours.ino() && there.dev() == ours.dev())
    }
}

/// Adds a line to a file that is locked. What cannot be written whole is taken back.
fn append_whole(file: &File, mut line: Vec<u8>) -> io::Result<()> {
    let before = file.metadata()?.len();
    if before > 0 {
        let mut last = [0];
        file.read_exact_at(&mut last, before - 1)?;
        if last != *b"\n" {
            // A writer died in the middle of its line; ours must not become part of it.
            line.insert(0, b'\n');
        }
    }
    io::Write::write_all(&mut &*file, &line).inspect_err(|_| drop(file.set_len(before)))
}

#[cfg(test)]
mod tests;
