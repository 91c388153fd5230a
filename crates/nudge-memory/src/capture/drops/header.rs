//! The header of the drop record: the next running number, and the counts of overwritten slots.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::reason::DropReason;
use super::slot::{checksum, number_at};

/// Identifies the file and the version of its layout.
const MAGIC: &[u8; 8] = b"nudgedr1";

/// Room for counts: more than there will ever be reasons.
const REASONS: usize = 32;

/// Where the checksum begins.
const CHECKED: usize = 16 + 8 * REASONS;

/// The header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The number of the next slot.
    pub(super) next: u64,
    folded: [u64; REASONS],
}

impl Default for Header {
    fn default() -> Self {
        Self { next: 1, folded: [0; REASONS] }
    }
}

impl Header {
    /// Reads the header; `None` if there is none yet or it is damaged.
    pub(super) fn read(file: &File) -> io::Result<Option<Self>> {
        let mut bytes = [0; CHECKED + 8];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(Self::of(&bytes))
    }

    /// Parses the header at the beginning of `bytes`.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(MAGIC) || bytes.get(CHECKED..CHECKED + 8)? != checksum(&bytes[..CHECKED]) {
            return None;
        }
        let mut header = Self { next: number_at(bytes, 8)?.max(1), ..Self::default() };
        for (index, count) in header.folded.iter_mut().enumerate() {
            *count = number_at(bytes, 16 + 8 * index)?;
        }
        Some(header)
    }

    /// Writes the header in a single write.
    pub(super) fn write(&self, file: &File) -> io::Result<()> {
        let mut bytes = [0; CHECKED + 8];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.next.to_le_bytes());
        for (index, count) in self.folded.iter().enumerate() {
            bytes[16 + 8 * index..24 + 8 * index].copy_from_slice(&count.to_le_bytes());
        }
        let sum = checksum(&bytes[..CHECKED]);
        bytes[CHECKED..].copy_from_slice(&sum);
        file.write_all_at(&bytes, 0)
    }

    /// Counts a slot that is about to be overwritten.
    pub(super) fn count_overwritten(&mut self, reason: DropReason) {
        if let Some(count) = self.folded.get_mut(usize::from(reason.number())) {
            *count += 1;
        }
    }

    /// The counts of overwritten slots.
    pub(super) fn counts(&self) -> impl Iterator<Item = (DropReason, u64)> {
        DropReason::ALL.into_iter().map(|reason| (reason, self.folded[usize::from(reason.number())]))
    }
}
