//! Texts lately found clean, by their hashes, so that no text is looked through twice.
//!
//! What is captured passes the detector where it is read, where its identity is made and again at the store, and many
//! fields are the same from one event to the next. The answer depends on nothing but the text. The hash is
//! cryptographic: nobody can make a text that is taken for another.

use std::sync::Mutex;

/// As many as are remembered, 32 bytes each. A new one takes the place of an old one with the same slot.
const SLOTS: usize = 4096;

type Hash = [u8; 32];

static LATELY: Mutex<Vec<Hash>> = Mutex::new(Vec::new());

/// A text, and where it would be remembered.
#[derive(Copy, Clone)]
pub(super) struct Seen {
    hash: Hash,
    slot: usize,
}

impl Seen {
    pub(super) fn of(text: &[u8]) -> Self {
        let hash = *blake3::hash(text).as_bytes();
        Self { hash, slot: usize::from(u16::from_le_bytes([hash[0], hash[1]])) % SLOTS }
    }

    /// Whether it was found clean. Nobody waits for this: while another thread looks, it is not known.
    pub(super) fn is_clean(self) -> bool {
        LATELY.try_lock().is_ok_and(|lately| lately.get(self.slot) == Some(&self.hash))
    }

    /// It was found clean.
    pub(super) fn remember(self) {
        if let Ok(mut lately) = LATELY.try_lock() {
            if lately.is_empty() {
                // The hash of no text that anybody has.
                lately.resize(SLOTS, [0; 32]);
            }
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
        assert!(!Seen::of(telling.as_bytes()).is_clean());
        for _ in 0..3 {
            assert!(scan(clean).is_empty());
            assert_eq!(scan(telling).len(), 1);
        }
        assert!(!Seen::of(telling.as_bytes()).is_clean());
    }
}
