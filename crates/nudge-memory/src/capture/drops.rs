//! The drop record: counts what could not be stored, in space reserved in advance.
//!
//! It is one file of a fixed size in `run/`. It is filled with zeros at the first capture, while
//! the disk still has room, and afterwards only written in place. A slot records which payload was
//! dropped (by its hash), why and when, but never its content. When all slots are used, the oldest
//! are overwritten and survive as counts in the header.

mod header;
mod reason;
mod slot;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nudge_core::Timestamp;

use header::Header;
use nudge_home::home::{Home, private_file};
pub use reason::DropReason;
pub use slot::Dropped;
use slot::{SLOT_BYTES, Slot};

/// The fixed size of the record.
pub const FILE_BYTES: u64 = 1024 * 1024;

/// Where the slots begin. The header takes one page.
const SLOTS_AT: u64 = 4096;

/// How many slots there are.
const SLOTS: u64 = (FILE_BYTES - SLOTS_AT) / SLOT_BYTES;

/// How long a note waits for the lock. Each holder needs only microseconds, but on a busy machine
/// it may be waiting for the processor. A drop that is not noted is lost without a trace, which is
/// worse than a late hook.
const TIMEOUT: Duration = Duration::from_millis(100);

/// The first and the longest pause between two attempts to lock. If many processes retried
/// constantly, they would starve the one that has the lock.
const RETRY: Duration = Duration::from_micros(100);
const RETRY_MOST: Duration = Duration::from_millis(2);

/// The drop record of one home directory.
pub struct Drops {
    home: Home,
    path: PathBuf,
}

/// The contents of the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropReport {
    /// How many payloads were ever dropped.
    pub total: u64,
    /// The number of drops per reason.
    pub by_reason: BTreeMap<&'static str, u64>,
    /// When the newest was dropped.
    pub newest: Option<Timestamp>,
    /// The drops that still have a slot, oldest first.
    pub slots: Vec<Dropped>,
}

impl Drops {
    /// The record of this home; opens nothing yet.
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone(), path: home.run_dir().join("drops") }
    }

    /// Makes sure the record's space on disk is reserved. Only checks the file if it already is.
    pub fn ensure(&self) -> io::Result<()> {
        if self.path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == FILE_BYTES) {
            return Ok(());
        }
        self.locked().map(|_| ())
    }

    /// Notes that a payload was dropped.
    pub fn note(&self, hash: [u8; 16], reason: DropReason, now: Timestamp) -> io::Result<()> {
        let file = self.locked()?;
        let mut header = Header::read(&file)?.map_or_else(|| rebuild_header(&file), Ok)?;
        let number = header.next;
        if number > SLOTS
            && let Some(oldest) = Slot::read(&file, place(number))?.filter(|oldest| oldest.number < number)
        {
            header.count_overwritten(oldest.dropped.reason);
        }
        header.next += 1;
        // The header is written first. If the slot is then not written, it still has an older
        // number and readers skip it.
        header.write(&file)?;
        Slot { number, dropped: Dropped { hash, reason, at: now } }.write(&file, place(number))
    }

    /// Reads the record; empty when there is none.
    pub fn read(&self) -> io::Result<DropReport> {
        let file = match private_file::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(DropReport::default()),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        // Ours ends there; a longer file is somebody else's.
        io::Read::read_to_end(&mut io::Read::take(&file, FILE_BYTES), &mut bytes)?;
        let header = Header::of(&bytes).unwrap_or_default();
        let mut slots: Vec<Slot> = bytes
            .get(SLOTS_AT as usize..)
            .unwrap_or_default()
            .chunks_exact(SLOT_BYTES as usize)
            .filter_map(Slot::of)
            .filter(|slot| slot.number + SLOTS >= header.next)
            .collect();
        slots.sort_unstable_by_key(|slot| slot.number);
        let mut report =
            DropReport { newest: slots.last().map(|slot| slot.dropped.at), ..DropReport::default() };
        let slots = slots.into_iter().map(|slot| slot.dropped);
        report.slots = slots.collect();
        for (reason, folded) in header.counts() {
            report.count(reason, folded);
        }
        for dropped in report.slots.clone() {
            report.count(dropped.reason, 1);
        }
        Ok(report)
    }

    /// The file, complete and locked until it is closed.
    fn locked(&self) -> io::Result<File> {
        let file = match private_file::read_write(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.home.secure_run_dir().map_err(|fault| io::Error::other(fault.message))?;
                private_file::read_write(&self.path)?
            }
            opened => opened?,
        };
        lock(&file, TIMEOUT)?;
        let length = file.metadata()?.len();
        if length < FILE_BYTES {
            let zeros = vec![0; (FILE_BYTES - length) as usize];
            file.write_all_at(&zeros, length)?;
        }
        Ok(file)
    }
}

impl DropReport {
    fn count(&mut self, reason: DropReason, times: u64) {
        if times > 0 {
            self.total += times;
            *self.by_reason.entry(reason.name()).or_default() += times;
        }
    }
}

/// The payload's key in the record: the first half of its hash.
pub fn hash_of(payload: &[u8]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&blake3::hash(payload).as_bytes()[..16]);
    half
}

/// Locks a file exclusively, waiting at most `timeout`.
pub(super) fn lock(file: &File, timeout: Duration) -> io::Result<()> {
    let began = Instant::now();
    let mut pause = RETRY;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() >= timeout => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(RETRY_MOST);
    }
}

/// Rebuilds an unreadable header; numbering continues after the newest slot.
fn rebuild_header(file: &File) -> io::Result<Header> {
    let mut header = Header::default();
    for index in 0..SLOTS {
        if let Some(slot) = Slot::read(file, SLOTS_AT + index * SLOT_BYTES)? {
            header.next = header.next.max(slot.number + 1);
        }
    }
    Ok(header)
}

const fn place(number: u64) -> u64 {
    SLOTS_AT + (number - 1) % SLOTS * SLOT_BYTES
}

#[cfg(test)]
mod tests;
