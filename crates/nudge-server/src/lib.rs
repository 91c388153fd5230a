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
//! What the command line needs of it is [`serve()`]. How a program reaches a server, or does without one, is in
//! `nudge-client`.

mod backend;
mod http;
mod jobs;
mod log;
mod mcp;
mod options;
mod primary;
mod serve;
mod terminal;

pub use options::ServeOptions;
pub use serve::serve;
