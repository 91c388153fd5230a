//! The spool: captured events that could not be stored in time, waiting for the next process that
//! opens the memory.
//!
//! `run/spool/` contains lines of JSON, one captured event each, redacted before they are written.
//! Writers append to `moments.jsonl` under a lock that each takes for microseconds. The next opener
//! renames that file and moves it into the memory line by line. An event that is both stored and
//! spooled is stored once, because of its identity. Every step here may therefore be repeated.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_home::home::{Home, private_dir, private_file};

use crate::capture::CapturedEvent;
use crate::capture::drops::{self, DropReason, Drops};
use crate::capture::strict::{self, each_text};

/// The file that is appended to.
const OPEN_FILE: &str = "moments.jsonl";

/// The name of a file renamed for processing: this prefix, a number, `-`, and how many of its bytes
/// are done.
const TAKEN_PREFIX: &str = "taken-";

/// How long an append waits for the lock. Each holder needs only microseconds. After that, the
/// event gets a file of its own.
const LOCK_TIMEOUT: Duration = Duration::from_millis(8);

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
        let mut line = redacted_line(captured)?;
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
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_TIMEOUT => {
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

// A captured event as it may be written to a file: without credentials.

/// The captured event as one line of JSON, with every text screened.
fn redacted_line(captured: &CapturedEvent) -> io::Result<Vec<u8>> {
    let mut value = serde_json::to_value(&*strict::screened(captured))?;
    each_text(&mut value, &[], &mut clean);
    Ok(serde_json::to_vec(&value)?)
}

/// Under a name such as `password`, the whole text is a credential.
fn clean(name: Option<&str>, text: &mut String) {
    // These are Nudge's own names, which happen to be credential words elsewhere. Captured events
    // belong together by their session id.
    if let Some(name) = name.filter(|name| !matches!(*name, "session" | "turn" | "call" | "key")) {
        let findings = nudge_secrets::scan_keyed(name, text);
        if !findings.is_empty() {
            *text = nudge_secrets::replace(text, &findings);
        }
    }
    if let Cow::Owned(clean) = nudge_secrets::redact(text) {
        *text = clean;
    }
}

// Moves the spool into the memory.

/// The longest line that is read: far longer than any captured event.
const MAX_LINE_BYTES: u64 = 4 * 1024 * 1024;

/// The result of processing the spool.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// Captured events that are now in the memory, new or not.
    pub kept: u64,
    /// Lines that could not be read or were rejected permanently; they are in the drop record.
    pub dropped: u64,
    /// Whether something is left, because time ran out or the memory cannot store it now.
    pub left: bool,
}

/// Moves the spool into the memory through `keep`, until it is empty or time runs out.
///
/// Only one process at a time does this; the others return at once. A line leaves the spool only
/// after `keep` has stored it.
pub fn drain_spool(
    home: &Home,
    now: Timestamp,
    until: Option<Instant>,
    mut keep: impl FnMut(&CapturedEvent) -> Result<(), Fault>,
) -> io::Result<DrainReport> {
    let spool = Spool::of(home);
    let mut taken = DrainReport::default();
    // Usually there is no directory: it is removed whenever the spool is empty.
    let Ok(guard) = open(&spool.dir) else { return Ok(taken) };
    if guard.try_lock().is_err() {
        return Ok(taken);
    }
    rename_open_file(&spool)?;
    let mut work = Work { drops: Drops::of(home), now, until, taken: &mut taken };
    for file in pending_files(&spool.dir)? {
        if !work.file(&file, &mut keep)? {
            taken.left = true;
            return Ok(taken);
        }
    }
    // Fails if another process has spooled again; it then finds the directory in place.
    let _ = fs::remove_dir(&spool.dir);
    Ok(taken)
}

struct Work<'a> {
    drops: Drops,
    now: Timestamp,
    until: Option<Instant>,
    taken: &'a mut DrainReport,
}

impl Work<'_> {
    /// Processes one file and removes it. `false` if something is left of it.
    fn file(
        &mut self,
        path: &Path,
        keep: &mut impl FnMut(&CapturedEvent) -> Result<(), Fault>,
    ) -> io::Result<bool> {
        let file = open(path)?;
        // A writer that opened the file under its old name may be in the middle of a line. A slow
        // one is not waited for.
        match drops::lock(&file, LOCK_TIMEOUT) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(false),
            locked => locked?,
        }
        let mut done = offset_of(path);
        let mut lines = BufReader::new(&file);
        lines.seek(SeekFrom::Start(done))?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = io::Read::take(&mut lines, MAX_LINE_BYTES).read_until(b'\n', &mut line)? as u64;
            if read == 0 {
                fs::remove_file(path)?;
                return Ok(true);
            }
            if self.until.is_some_and(|until| Instant::now() >= until) || !self.line(&line, keep) {
                record_progress(path, done)?;
                return Ok(false);
            }
            done += read;
        }
    }

    /// Stores one line, or notes why it cannot be stored. `false` if it must wait.
    fn line(&mut self, line: &[u8], keep: &mut impl FnMut(&CapturedEvent) -> Result<(), Fault>) -> bool {
        let text = line.trim_ascii();
        if text.is_empty() {
            return true;
        }
        let reason = match serde_json::from_slice::<CapturedEvent>(text) {
            Err(_) => DropReason::Torn,
            Ok(captured) => match keep(&captured) {
                Ok(()) => {
                    self.taken.kept += 1;
                    return true;
                }
                Err(fault) if is_retryable(&fault) => return false,
                Err(_) => DropReason::Refused,
            },
        };
        self.taken.dropped += 1;
        // If the drop cannot be noted either, the line stays until it can.
        self.drops.note(drops::hash_of(text), reason, self.now).is_ok()
    }
}

fn open(path: &Path) -> io::Result<File> {
    private_file::read(path)
}

/// Whether the memory may accept the event at another time.
fn is_retryable(fault: &Fault) -> bool {
    !matches!(
        fault.kind,
        FaultKind::Invalid | FaultKind::SecretRejected | FaultKind::ScopeInvalid | FaultKind::TooLarge
    )
}

/// Renames the file that writers append to.
fn rename_open_file(spool: &Spool) -> io::Result<()> {
    let mut number = 1;
    // This process has the directory's lock. Only separate files are written without it, and their
    // numbers are far higher.
    while pending_files(&spool.dir)?.iter().any(|file| number_of(file) == Some(number)) {
        number += 1;
    }
    let target = spool.dir.join(format!("{TAKEN_PREFIX}{number}-0.jsonl"));
    match fs::rename(spool.dir.join(OPEN_FILE), target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

fn pending_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| number_of(path).is_some())
        .collect();
    files.sort_by_key(|path| number_of(path));
    Ok(files)
}

/// Records in the file's name how much of it is done.
fn record_progress(path: &Path, done: u64) -> io::Result<()> {
    let number = number_of(path).unwrap_or_default();
    fs::rename(path, path.with_file_name(format!("{TAKEN_PREFIX}{number}-{done}.jsonl")))
}

fn number_of(path: &Path) -> Option<u128> {
    parts(path).map(|(number, _)| number)
}

fn offset_of(path: &Path) -> u64 {
    parts(path).map_or(0, |(_, offset)| offset)
}

fn parts(path: &Path) -> Option<(u128, u64)> {
    let name = path.file_name()?.to_str()?.strip_prefix(TAKEN_PREFIX)?.strip_suffix(".jsonl")?;
    let (number, offset) = name.split_once('-')?;
    Some((number.parse().ok()?, offset.parse().ok()?))
}

#[cfg(test)]
mod tests;
