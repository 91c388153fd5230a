//! The history that an imported entry brings from its original memory.

use nudge_core::Timestamp;

use crate::db::error::StoreError;
use crate::db::integrity::LARGEST;

/// The history of an imported hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Its version there, from 1 to 2^53 - 1. Here it gets that version, or one more than the entry
    /// it replaces, whichever is higher.
    pub version: i64,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// How often it was used, from 0 to 2^53 - 1.
    pub use_count: i64,
}

impl History {
    /// Rejects numbers that are out of range.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let numbers = [("version", self.version, 1), ("use_count", self.use_count, 0)];
        for (field, value, least) in numbers {
            if !(least..=LARGEST).contains(&value) {
                return Err(StoreError::OutOfRange { field, least, most: LARGEST });
            }
        }
        Ok(())
    }
}
