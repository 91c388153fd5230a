//! The daemon: election, socket, HTTP and MCP. The only crate that serves anything.
//!
//! The first `nudge serve` of a person takes the lock in `run/` and is PRIMARY: it holds the
//! store, the socket for our own programs and the loopback port for everybody else's. Every later
//! one is a PROXY: it serves its own stdio client, forwards over the socket, and waits on the
//! lock. When PRIMARY dies the kernel hands the lock to one waiting PROXY, which becomes PRIMARY
//! in place while its client goes on ([`serve()`]).
//!
//! Liveness is the held lock. A process id, a bound port or a leftover file never decide anything.
//!
//! What the command line needs: [`serve()`] to be a server, [`link`] to call an operation with or
//! without one, [`deliver`] for what hooks bring, [`status`], [`control`] and [`token`].

mod ambient;
mod backend;
mod clock;
pub mod control;
pub mod deliver;
mod direct;
mod doors;
mod election;
mod env;
mod frame;
mod http;
mod identity;
pub mod indexing;
mod jobs;
pub mod link;
mod local;
mod log;
mod mcp;
mod options;
mod peer;
mod pool;
mod port;
mod primary;
mod remote;
mod serve;
mod socket;
mod sockets;
mod spooled;
mod state;
pub mod status;
pub mod token;

pub use options::ServeOptions;
pub use serve::serve;

/// The version that greetings, the state file and `/health` name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
