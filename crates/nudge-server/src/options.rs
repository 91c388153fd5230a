//! The options of `nudge serve`.

use std::ffi::OsString;

use nudge_home::Home;
use nudge_home::Settings;

/// Everything that [`crate::serve()`] needs; it reads no flags or configuration itself.
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
