//! How our programs reach the memory: through PRIMARY if one is running, else directly through the
//! store, and through the spool when neither accepts an event in time.
//!
//! Blocking and without an async runtime: a command or hook is a whole process, and should end
//! before a runtime would have started. The server uses the same frames, lock and state file from
//! the other side.

pub mod agent_above;
pub mod background;
pub mod client_tokens;
pub mod clock;
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
pub mod peer;
pub mod sockets;
pub mod spool;
pub mod state;
pub mod status;
pub mod token;
pub mod version;

pub use failures::Failed;
pub use open::OpenMemory;

/// The version in greetings, the state file and `/health`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
