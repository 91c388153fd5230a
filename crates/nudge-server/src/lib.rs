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
mod primary;
mod reach;
mod run_feed;
mod runs;
mod serve;
mod terminal;
mod web_search;

use std::ffi::OsString;

use nudge_home::{Home, Settings};

pub use mcp::tokens_of_profile;
pub use runs::sandbox;
pub use serve::serve;
pub use web_search::{WORD as WEB_SEARCH, web_search};

/// Everything that [`serve()`] needs; it reads no flags or configuration itself.
#[derive(Clone)]
pub struct ServeOptions {
    /// The data directory.
    pub home: Home,
    /// The version of this program. A newer server takes over from an older one.
    pub version: String,
    /// The current settings.
    pub settings: Settings,
    /// How many mistakes are in the files and variables of the settings. They are not in force.
    pub mistakes: usize,
    /// The port from `--port`. It is an error if it is taken; without it, a free one is found.
    pub port: Option<u16>,
    /// Keep everything in RAM and forget it at the end.
    pub ephemeral: bool,
    /// Start a detached server and return once it answers.
    pub daemon: bool,
    /// This is that detached server: new session, no client on stdio, readiness on stdout.
    pub detached: bool,
    /// An agent started this server. Its variables then decide nothing about models: they would
    /// decide where the user's keys, questions and files go.
    pub by_agent: bool,
    /// The arguments after the program's name, as given. `daemon` starts the program again with
    /// these, without `--daemon` and with `--detached`.
    pub arguments: Vec<OsString>,
    /// Print the result of `daemon` as JSON.
    pub json: bool,
}
