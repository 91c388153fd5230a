//! How our programs reach the memory: through PRIMARY if one is running, else directly through the
//! store, and through the spool when neither accepts an event in time.
//!
//! Blocking and without an async runtime: a command or hook is a whole process, and should end
//! before a runtime would have started. The server uses the same frames, lock and state file from
//! the other side.

pub mod agent_above;
pub mod background;
pub mod client_tokens;
pub mod connection;
pub mod control;
pub mod deliver;
pub mod env;
pub mod failures;
pub mod frame;
pub mod indexing;
pub mod link;
pub mod lock;
pub mod older;
pub mod open;
mod private_file;
mod random;
pub mod status;
pub mod token;
pub mod ui_sessions;
pub mod version;

use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::Timestamp;

pub use failures::Failed;
pub use open::OpenMemory;

/// The version in greetings, the state file and `/health`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

// The only place in this crate that reads the clock.

/// The current time. A clock set before 1970 counts as 1970.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
