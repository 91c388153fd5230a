//! What `nudge serve` was asked to be.

use std::ffi::OsString;

use nudge_home::Home;
use nudge_home::Settings;

/// Everything [`crate::serve()`] needs; it reads no flag and no configuration itself.
#[derive(Clone)]
pub struct ServeOptions {
    /// Where the memory lies.
    pub home: Home,
    /// The version of this program. A newer server takes over from an older one.
    pub version: String,
    /// The settings in force.
    pub settings: Settings,
    /// The port that `--port` named. Taken means an error; without it a free one is found.
    pub port: Option<u16>,
    /// Keep everything in memory and forget it at the end.
    pub ephemeral: bool,
    /// Start a detached server and return once it answers.
    pub daemon: bool,
    /// This is that detached server: new session, no client on stdio, readiness on stdout.
    pub detached: bool,
    /// The arguments after the program's name, as given. `daemon` starts the program again with
    /// these, without `--daemon` and with `--detached`.
    pub arguments: Vec<OsString>,
    /// Print what `daemon` says as JSON.
    pub json: bool,
}
