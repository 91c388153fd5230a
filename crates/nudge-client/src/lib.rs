//! How our programs reach memory: through PRIMARY when one lives, on the store itself when none does, into the spool
//! when neither takes an event in time.
//!
//! Blocking and without a runtime: a command or a hook is a whole process, and it should end before a runtime would
//! have started. The server uses the same frames, lock and state file from the other side.

pub mod background;
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

/// The version that greetings, the state file and `/health` name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
