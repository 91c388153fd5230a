//! Taking the spool in.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nudge_core::{Fault, FaultKind, Timestamp};

use super::{OPEN_FILE, Spool, TAKEN_PREFIX};
use crate::capture::Moment;
use crate::capture::drops::{self, DropReason, Drops};
use nudge_home::home::{Home, private_file};

/// The longest line that is read: far more than any moment is.
const LINE_MAX: u64 = 4 * 1024 * 1024;

/// What was taken in.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Moments that are in the memory now, whether they were before or not.
    pub kept: u64,
    /// Lines that could not be read or were refused for good; they are in the drop record.
    pub dropped: u64,
    /// Whether something is left, for want of time or because the memory cannot take it now.
    pub left: bool,
}

/// Brings what is spooled into the memory through `keep`, until it is empty or the time is up.
///
/// One process at a time does this; for the others there is nothing to do. A line leaves the spool only
/// after `keep` has stored it.
pub fn take_in(
    home: &Home,
    now: Timestamp,
    until: Option<Instant>,
    mut keep: impl FnMut(&Moment) -> Result<(), Fault>,
) -> io::Result<Taken> {
    let spool = Spool::of(home);
    let mut taken = Taken::default();
    // The usual case: there is none. The directory goes away whenever it has been emptied.
    let Ok(guard) = open(&spool.dir) else { return Ok(taken) };
    if guard.try_lock().is_err() {
        return Ok(taken);
    }
    put_aside(&spool)?;
    let mut work = Work { drops: Drops::of(home), now, until, taken: &mut taken };
    for file in put_aside_files(&spool.dir)? {
        if !work.file(&file, &mut keep)? {
            taken.left = true;
            return Ok(taken);
        }
    }
    // Fails when somebody has spooled again, who then finds the directory in place.
    let _ = fs::remove_dir(&spool.dir);
    Ok(taken)
}

struct Work<'a> {
    drops: Drops,
    now: Timestamp,
    until: Option<Instant>,
    taken: &'a mut Taken,
}

impl Work<'_> {
    /// Takes one file in and removes it. `false` when there is something left of it.
    fn file(&mut self, path: &Path, keep: &mut impl FnMut(&Moment) -> Result<(), Fault>) -> io::Result<bool> {
        let file = open(path)?;
        // A writer that opened it under its old name may be in the middle of its line. One that takes long is not waited for.
        match drops::lock(&file, super::PATIENCE) {
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
                remember(path, done)?;
                return Ok(false);
            }
            done += read;
        }
    }

    /// Takes one line in, or notes why it cannot be. `false` when it must wait.
    fn line(&mut self, line: &[u8], keep: &mut impl FnMut(&Moment) -> Result<(), Fault>) -> bool {
        let text = line.trim_ascii();
        if text.is_empty() {
            return true;
        }
        let reason = match serde_json::from_slice::<Moment>(text) {
            Err(_) => DropReason::Torn,
            Ok(moment) => match keep(&moment) {
                Ok(()) => {
                    self.taken.kept += 1;
                    return true;
                }
                Err(fault) if may_pass(&fault) => return false,
                Err(_) => DropReason::Refused,
            },
        };
        self.taken.dropped += 1;
        // Where even that cannot be written down, the line stays until it can.
        self.drops.note(drops::hash_of(text), reason, self.now).is_ok()
    }
}

fn open(path: &Path) -> io::Result<File> {
    private_file::read(path)
}

/// Whether the memory may take it another time.
fn may_pass(fault: &Fault) -> bool {
    !matches!(
        fault.kind,
        FaultKind::Invalid | FaultKind::SecretRejected | FaultKind::ScopeInvalid | FaultKind::TooLarge
    )
}

/// Gives the file that is appended to a name of its own.
fn put_aside(spool: &Spool) -> io::Result<()> {
    let mut number = 1;
    // Whoever writes here holds the lock of the directory, but for files made apart, whose numbers are far higher.
    while put_aside_files(&spool.dir)?.iter().any(|file| number_of(file) == Some(number)) {
        number += 1;
    }
    let target = spool.dir.join(format!("{TAKEN_PREFIX}{number}-0.jsonl"));
    match fs::rename(spool.dir.join(OPEN_FILE), target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

fn put_aside_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| number_of(path).is_some())
        .collect();
    files.sort_by_key(|path| number_of(path));
    Ok(files)
}

/// Writes down in the name how much of the file is done.
fn remember(path: &Path, done: u64) -> io::Result<()> {
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
