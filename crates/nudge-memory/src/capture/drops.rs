//! The drop record: what could not be kept, counted where no room is needed to count it.
//!
//! One file of a fixed size in `run/`, filled with zeros at the first capture, when the disk still has room, and written
//! in place ever after. A slot says which payload (by its hash), why and when; never what it said. When all slots
//! are used the oldest give way, and go on as counts in the header.

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

/// How large the record is, whatever happens.
pub const FILE_BYTES: u64 = 1024 * 1024;

/// Where the slots begin: one page for the header.
const SLOTS_AT: u64 = 4096;

/// How many slots there are.
const SLOTS: u64 = (FILE_BYTES - SLOTS_AT) / SLOT_BYTES;

/// How long a note waits for others. Each of them needs microseconds, but on a busy machine may be without a processor
/// just then; what is not even noted is lost without a trace, which is worse than a hook that comes late.
const PATIENCE: Duration = Duration::from_millis(100);

/// Between two attempts to get a lock: at first, and at most. Many who try all the time would keep the processor from
/// whoever holds it.
const RETRY: Duration = Duration::from_micros(100);
const RETRY_MOST: Duration = Duration::from_millis(2);

/// The record of one home.
pub struct Drops {
    home: Home,
    path: PathBuf,
}

/// What the record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropReport {
    /// How many payloads were dropped, ever.
    pub total: u64,
    /// How many for which reason.
    pub by_reason: BTreeMap<&'static str, u64>,
    /// When the newest was dropped.
    pub newest: Option<Timestamp>,
    /// Those that still have their slot, oldest first.
    pub slots: Vec<Dropped>,
}

impl Drops {
    /// The record of that home; nothing is opened yet.
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone(), path: home.run_dir().join("drops") }
    }

    /// Sees to it that the record has its room on the disk. Costs one look when it has.
    pub fn ensure(&self) -> io::Result<()> {
        if self.path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == FILE_BYTES) {
            return Ok(());
        }
        self.locked().map(|_| ())
    }

    /// Notes that a payload was dropped.
    pub fn note(&self, hash: [u8; 16], reason: DropReason, now: Timestamp) -> io::Result<()> {
        let file = self.locked()?;
        let mut header = Header::read(&file)?.map_or_else(|| rebuilt(&file), Ok)?;
        let number = header.next;
        if number > SLOTS
            && let Some(oldest) = Slot::read(&file, place(number))?.filter(|oldest| oldest.number < number)
        {
            header.fold(oldest.dropped.reason);
        }
        header.next += 1;
        // The header first: a slot that was not written after it is one that still belongs to an older number, which readers pass over.
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
        io::Read::read_to_end(&mut &file, &mut bytes)?;
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

    /// The file, whole and ours alone until it is closed.
    fn locked(&self) -> io::Result<File> {
        let file = match private_file::read_write(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.home.secure_run_dir().map_err(|fault| io::Error::other(fault.message))?;
                private_file::read_write(&self.path)?
            }
            opened => opened?,
        };
        lock(&file, PATIENCE)?;
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

/// What a payload is known by in the record: the first half of its hash.
pub fn hash_of(payload: &[u8]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&blake3::hash(payload).as_bytes()[..16]);
    half
}

/// Locks a file for this process alone, waiting no longer than that.
pub(super) fn lock(file: &File, patience: Duration) -> io::Result<()> {
    let began = Instant::now();
    let mut pause = RETRY;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() >= patience => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(RETRY_MOST);
    }
}

/// A header for a file whose own cannot be read: counting goes on behind the newest slot.
fn rebuilt(file: &File) -> io::Result<Header> {
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
