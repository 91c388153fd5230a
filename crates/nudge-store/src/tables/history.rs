//! What an imported entry brings along from the memory it comes from.

use nudge_core::Timestamp;

use crate::db::error::StoreError;
use crate::db::integrity::LARGEST;

/// What an imported hint has behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Its version there, from 1 to 2^53 - 1. Here it becomes that, or one more than what it
    /// replaces, whichever is higher.
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
    /// Refuses numbers that no hint can have.
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
