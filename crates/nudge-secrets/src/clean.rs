//! The hashes of texts recently found clean, so that no text is scanned twice.
//!
//! Captured text passes the detector where it is read, where its identity is computed and again at
//! the store, and many fields are the same from one event to the next. The result depends on the
//! text alone. The hash is cryptographic: nobody can make a text that is mistaken for another.

use std::sync::Mutex;

/// The number of hashes, 32 bytes each. A new one replaces the old one in its slot.
const CACHE_SLOTS: usize = 4096;

type Hash = [u8; 32];

/// Zeros are not the hash of any known text. A static of zeros takes no memory until it is written
/// to, so a hook, which looks at a few texts, does not pay for all slots.
static RECENTLY_CLEAN: Mutex<[Hash; CACHE_SLOTS]> = Mutex::new([[0; 32]; CACHE_SLOTS]);

/// The hash of a text, and its slot.
#[derive(Copy, Clone)]
pub(super) struct TextHash {
    hash: Hash,
    slot: usize,
}

impl TextHash {
    pub(super) fn of(text: &[u8]) -> Self {
        let hash = *blake3::hash(text).as_bytes();
        Self { hash, slot: usize::from(u16::from_le_bytes([hash[0], hash[1]])) % CACHE_SLOTS }
    }

    /// Whether it was found clean. Never blocks: while another thread has the lock, the answer is
    /// no.
    pub(super) fn is_clean(self) -> bool {
        RECENTLY_CLEAN.try_lock().is_ok_and(|lately| lately[self.slot] == self.hash)
    }

    /// Records that it was found clean.
    pub(super) fn remember(self) {
        if let Ok(mut lately) = RECENTLY_CLEAN.try_lock() {
            lately[self.slot] = self.hash;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan;

    #[test]
    fn only_what_was_found_clean_is_known() {
        let clean = "cargo build --workspace, for the memo alone";
        let telling = concat!("export DB_PASSWORD=", "tr0ub4dor-and-7");
        assert!(!TextHash::of(telling.as_bytes()).is_clean());
        for _ in 0..3 {
            assert!(scan(clean).is_empty());
            assert_eq!(scan(telling).len(), 1);
        }
        assert!(!TextHash::of(telling.as_bytes()).is_clean());
    }
}
