//! One slot of the drop record: 64 bytes.
//!
//! | bytes | content |
//! |---|---|
//! | 0–15 | hash of the payload |
//! | 16–17 | reason |
//! | 24–31 | time, milliseconds since the epoch |
//! | 32–39 | running number, from 1; 0 is an empty slot |
//! | 56–63 | checksum of the bytes before |
//!
//! Numbers are little-endian; all other bytes are zero.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use nudge_core::Timestamp;

use super::reason::DropReason;

/// The size of a slot.
pub(super) const SLOT_BYTES: u64 = 64;

/// Where the checksum begins.
const CHECKED: usize = 56;

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
pub(super) struct Slot {
    pub(super) number: u64,
    pub(super) dropped: Dropped,
}

impl Slot {
    /// Reads the slot at an offset; `None` if it is unused or damaged.
    pub(super) fn read(file: &File, at: u64) -> io::Result<Option<Self>> {
        let mut bytes = [0; SLOT_BYTES as usize];
        file.read_exact_at(&mut bytes, at)?;
        Ok(Self::of(&bytes))
    }

    /// Parses a slot; `None` if it is unused or damaged.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let number = number_at(bytes, 32)?;
        if number == 0 || bytes.get(CHECKED..)? != checksum(bytes.get(..CHECKED)?) {
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
    pub(super) fn write(&self, file: &File, at: u64) -> io::Result<()> {
        let mut bytes = [0; SLOT_BYTES as usize];
        bytes[..16].copy_from_slice(&self.dropped.hash);
        bytes[16..18].copy_from_slice(&self.dropped.reason.number().to_le_bytes());
        bytes[24..32].copy_from_slice(&self.dropped.at.as_millis().to_le_bytes());
        bytes[32..40].copy_from_slice(&self.number.to_le_bytes());
        let sum = checksum(&bytes[..CHECKED]);
        bytes[CHECKED..].copy_from_slice(&sum);
        file.write_all_at(&bytes, at)
    }
}

/// The number that begins at byte `at`.
pub(super) fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// An eight-byte checksum.
pub(super) fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}
