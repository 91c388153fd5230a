//! Moves the spool into the memory.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nudge_core::{Fault, FaultKind, Timestamp};

use super::{OPEN_FILE, Spool, TAKEN_PREFIX};
use crate::capture::CapturedEvent;
use crate::capture::drops::{self, DropReason, Drops};
use nudge_home::home::{Home, private_file};

/// The longest line that is read: far longer than any captured event.
const LINE_MAX: u64 = 4 * 1024 * 1024;

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
        match drops::lock(&file, super::TIMEOUT) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(false),
            locked => locked?,
        }
        let mut done = offset_of(path);
        let mut lines = BufReader::new(&file);
        lines.seek(SeekFrom::Start(done))?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = io::Read::take(&mut lines, LINE_MAX).read_until(b'\n', &mut line)? as u64;
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
