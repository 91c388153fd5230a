//! `nudge serve`: be a server for agents.

use clap::Args;
use nudge_server::ServeOptions;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Start a detached server and return once it answers
    #[arg(long)]
    daemon: bool,
    /// Keep everything in memory and forget it at the end
    #[arg(long)]
    ephemeral: bool,
    /// Serve HTTP too; accepted and without effect, since the first server always does
    #[arg(long)]
    http: bool,
    /// Be the detached server that `--daemon` started
    #[arg(long, hide = true)]
    detached: bool,
}

impl ServeArgs {
    /// Serves until told to stop, or returns at once with `--daemon`.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let _accepted = self.http;
        nudge_server::serve(ServeOptions {
            home: invocation.home()?,
            version: crate::VERSION.to_owned(),
            settings: invocation.settings()?,
            port: invocation.globals.port,
            ephemeral: self.ephemeral,
            daemon: self.daemon,
            detached: self.detached,
            arguments: std::env::args_os().skip(1).collect(),
            json: invocation.output.is_json(),
        })?;
        Ok(Exit::Ok)
    }
}
