//! The daemon: election, socket, HTTP and MCP. The only crate that serves anything.
//!
//! A user's first `nudge serve` takes the lock in `run/` and is PRIMARY: it has the store, the
//! socket for our own programs and the loopback port for all others. Every later one is a PROXY: it
//! serves its own stdio client, forwards over the socket, and waits for the lock. When PRIMARY
//! dies, the kernel gives the lock to one waiting PROXY, which becomes PRIMARY in place while its
//! client continues ([`serve()`]).
//!
//! Only the lock says whether PRIMARY is alive. A process id, a bound port or a leftover file never
//! decides anything.
//!
//! The command line needs only [`serve()`]. How a program reaches a server, or works without one,
//! is in `nudge-client`.

mod backend;
mod http;
mod jobs;
mod log;
mod mcp;
mod options;
mod primary;
mod run_feed;
mod runs;
mod serve;
mod terminal;

pub use options::ServeOptions;
pub use serve::serve;
