//! `nudge serve`: runs a server for agents.

use clap::Args;
use nudge_server::ServeOptions;

use crate::agent_above::calling_agent;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Start a server in the background and return once it answers
    #[arg(long)]
    daemon: bool,
    /// Store nothing on disk; everything is lost when the server stops
    #[arg(long)]
    ephemeral: bool,
    /// Serve HTTP; has no effect, since the first server always does
    #[arg(long)]
    http: bool,
    /// Run as the background server that --daemon started
    #[arg(long, hide = true)]
    detached: bool,
    /// Ignore this process's keys and addresses of models, because an agent started it
    #[arg(long, hide = true)]
    by_agent: bool,
}

impl ServeArgs {
    /// Serves until it is stopped. With `--daemon` it returns at once.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let _accepted = self.http;
        nudge_server::serve(ServeOptions {
            home: invocation.home()?,
            version: crate::VERSION.to_owned(),
            settings: invocation.settings()?,
            mistakes: invocation.resolved()?.warnings.len(),
            port: invocation.globals.port,
            ephemeral: self.ephemeral,
            daemon: self.daemon,
            detached: self.detached,
            by_agent: self.by_agent || calling_agent().is_some(),
            arguments: std::env::args_os().skip(1).collect(),
            json: invocation.output.is_json(),
        })?;
        Ok(Exit::Ok)
    }
}
