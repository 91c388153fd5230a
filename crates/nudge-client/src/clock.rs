//! The only place in this crate that reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::Timestamp;

/// The current time. A clock set before 1970 counts as 1970.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
