//! The drop record: counts what could not be stored, in space reserved in advance.
//!
//! It is one file of a fixed size in `run/`. It is filled with zeros at the first capture, while
//! the disk still has room, and afterwards only written in place. A slot records which payload was
//! dropped (by its hash), why and when, but never its content. When all slots are used, the oldest
//! are overwritten and survive as counts in the header.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nudge_core::Timestamp;
use nudge_home::home::{Home, private_file};

/// The fixed size of the record.
pub const FILE_BYTES: u64 = 1024 * 1024;

/// Where the slots begin. The header takes one page.
const SLOTS_AT: u64 = 4096;

/// How many slots there are.
const SLOT_COUNT: u64 = (FILE_BYTES - SLOTS_AT) / SLOT_BYTES;

/// How long a note waits for the lock. Each holder needs only microseconds, but on a busy machine
/// it may be waiting for the processor. A drop that is not noted is lost without a trace, which is
/// worse than a late hook.
const LOCK_TIMEOUT: Duration = Duration::from_millis(100);

/// The first and the longest pause between two attempts to lock. If many processes retried
/// constantly, they would starve the one that has the lock.
const MIN_RETRY_DELAY: Duration = Duration::from_micros(100);

const MAX_RETRY_DELAY: Duration = Duration::from_millis(2);

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
        if number > SLOT_COUNT
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
            .filter(|slot| slot.number + SLOT_COUNT >= header.next)
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
        lock(&file, LOCK_TIMEOUT)?;
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
    let mut pause = MIN_RETRY_DELAY;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() >= timeout => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(MAX_RETRY_DELAY);
    }
}

/// Rebuilds an unreadable header; numbering continues after the newest slot.
fn rebuild_header(file: &File) -> io::Result<Header> {
    let mut header = Header::default();
    for index in 0..SLOT_COUNT {
        if let Some(slot) = Slot::read(file, SLOTS_AT + index * SLOT_BYTES)? {
            header.next = header.next.max(slot.number + 1);
        }
    }
    Ok(header)
}

const fn place(number: u64) -> u64 {
    SLOTS_AT + (number - 1) % SLOT_COUNT * SLOT_BYTES
}

// Why something could not be stored.

/// Why something could not be stored. The numbers are stored in the record and never change.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum DropReason {
    /// The disk was full.
    DiskFull = 1,
    /// The directory was not writable, or its files may not grow.
    Unwritable = 2,
    /// The payload was invalid: not JSON, not text, or not something this agent sends.
    UnreadableInput = 3,
    /// Time ran out before the payload was fully read or processed.
    DeadlineBeforeRead = 4,
    /// A spooled line was truncated.
    Torn = 5,
    /// A spooled line was complete, but the memory rejected it permanently.
    Refused = 6,
}

impl DropReason {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::DiskFull,
        Self::Unwritable,
        Self::UnreadableInput,
        Self::DeadlineBeforeRead,
        Self::Torn,
        Self::Refused,
    ];

    /// The reason's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiskFull => "disk_full",
            Self::Unwritable => "unwritable",
            Self::UnreadableInput => "unreadable_input",
            Self::DeadlineBeforeRead => "deadline_before_read",
            Self::Torn => "torn",
            Self::Refused => "refused",
        }
    }

    /// The reason's number in the record.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The reason with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.number() == number)
    }

    /// The reason that matches an I/O error.
    pub fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Unwritable,
        }
    }
}

// The header of the drop record: the next running number, and the counts of overwritten slots.

/// Identifies the file and the version of its layout.
const MAGIC: &[u8; 8] = b"nudgedr1";

/// Room for counts: more than there will ever be reasons.
const MAX_REASONS: usize = 32;

/// Where the checksum begins.
const HEADER_CHECKED: usize = 16 + 8 * MAX_REASONS;

/// The header.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Header {
    /// The number of the next slot.
    next: u64,
    folded: [u64; MAX_REASONS],
}

impl Default for Header {
    fn default() -> Self {
        Self { next: 1, folded: [0; MAX_REASONS] }
    }
}

impl Header {
    /// Reads the header; `None` if there is none yet or it is damaged.
    fn read(file: &File) -> io::Result<Option<Self>> {
        let mut bytes = [0; HEADER_CHECKED + 8];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(Self::of(&bytes))
    }

    /// Parses the header at the beginning of `bytes`.
    fn of(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(MAGIC)
            || bytes.get(HEADER_CHECKED..HEADER_CHECKED + 8)? != checksum(&bytes[..HEADER_CHECKED])
        {
            return None;
        }
        let mut header = Self { next: number_at(bytes, 8)?.max(1), ..Self::default() };
        for (index, count) in header.folded.iter_mut().enumerate() {
            *count = number_at(bytes, 16 + 8 * index)?;
        }
        Some(header)
    }

    /// Writes the header in a single write.
    fn write(&self, file: &File) -> io::Result<()> {
        let mut bytes = [0; HEADER_CHECKED + 8];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.next.to_le_bytes());
        for (index, count) in self.folded.iter().enumerate() {
            bytes[16 + 8 * index..24 + 8 * index].copy_from_slice(&count.to_le_bytes());
        }
        let sum = checksum(&bytes[..HEADER_CHECKED]);
        bytes[HEADER_CHECKED..].copy_from_slice(&sum);
        file.write_all_at(&bytes, 0)
    }

    /// Counts a slot that is about to be overwritten.
    fn count_overwritten(&mut self, reason: DropReason) {
        if let Some(count) = self.folded.get_mut(usize::from(reason.number())) {
            *count += 1;
        }
    }

    /// The counts of overwritten slots.
    fn counts(&self) -> impl Iterator<Item = (DropReason, u64)> {
        DropReason::ALL.into_iter().map(|reason| (reason, self.folded[usize::from(reason.number())]))
    }
}

// One slot of the drop record: 64 bytes.
//
// | bytes | content |
// |---|---|
// | 0–15 | hash of the payload |
// | 16–17 | reason |
// | 24–31 | time, milliseconds since the epoch |
// | 32–39 | running number, from 1; 0 is an empty slot |
// | 56–63 | checksum of the bytes before |
//
// Numbers are little-endian; all other bytes are zero.

/// The size of a slot.
const SLOT_BYTES: u64 = 64;

/// Where the checksum begins.
const SLOT_CHECKED: usize = 56;

/// A payload that was dropped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The first half of the payload's BLAKE3 hash.
    pub hash: [u8; 16],
    /// Why.
    pub reason: DropReason,
    /// When.
    pub at: Timestamp,
}

/// A slot that is in use.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Slot {
    number: u64,
    dropped: Dropped,
}

impl Slot {
    /// Reads the slot at an offset; `None` if it is unused or damaged.
    fn read(file: &File, at: u64) -> io::Result<Option<Self>> {
        let mut bytes = [0; SLOT_BYTES as usize];
        file.read_exact_at(&mut bytes, at)?;
        Ok(Self::of(&bytes))
    }

    /// Parses a slot; `None` if it is unused or damaged.
    fn of(bytes: &[u8]) -> Option<Self> {
        let number = number_at(bytes, 32)?;
        if number == 0 || bytes.get(SLOT_CHECKED..)? != checksum(bytes.get(..SLOT_CHECKED)?) {
            return None;
        }
        let reason = u16::from_le_bytes(bytes[16..18].try_into().ok()?);
        let at = i64::from_le_bytes(bytes[24..32].try_into().ok()?);
        let dropped = Dropped {
            hash: bytes[..16].try_into().ok()?,
            reason: DropReason::from_number(reason)?,
            at: Timestamp::from_millis(at),
        };
        Some(Self { number, dropped })
    }

    /// Writes the slot at an offset, in a single write.
    fn write(&self, file: &File, at: u64) -> io::Result<()> {
        let mut bytes = [0; SLOT_BYTES as usize];
        bytes[..16].copy_from_slice(&self.dropped.hash);
        bytes[16..18].copy_from_slice(&self.dropped.reason.number().to_le_bytes());
        bytes[24..32].copy_from_slice(&self.dropped.at.as_millis().to_le_bytes());
        bytes[32..40].copy_from_slice(&self.number.to_le_bytes());
        let sum = checksum(&bytes[..SLOT_CHECKED]);
        bytes[SLOT_CHECKED..].copy_from_slice(&sum);
        file.write_all_at(&bytes, at)
    }
}

/// The number that begins at byte `at`.
fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// An eight-byte checksum.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

#[cfg(test)]
mod tests;
