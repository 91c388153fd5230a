//! `nudge serve` runs a server for agents, and `nudge stop` ends it.

use clap::Args;
use nudge_client::control::{self, Stopped};
use nudge_core::{Fault, FaultKind};
use nudge_server::ServeOptions;

use crate::agent_above::{UserOnly, calling_agent, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

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

// `nudge stop`: stops the server and ends the session.

#[derive(Debug, Args)]
pub(crate) struct StopArgs {}

impl StopArgs {
    /// Stops the server if one runs. In any case it ends the session: hints that live for the
    /// session end now.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Stop)?;
        let home = invocation.home()?;
        if let Some(port) = invocation.globals.port {
            let recorded = nudge_client::status::status(&home).port;
            if recorded != Some(port) {
                return Err(Fault::new(
                    FaultKind::Unavailable,
                    "wrong_port",
                    format!("no server is running on port {port}"),
                )
                .next("run `nudge status` to see the port")
                .into());
            }
        }
        let stopped = control::stop(&home)?;
        let answer = serde_json::to_value(&stopped).map_err(|error| {
            Fault::new(
                FaultKind::Internal,
                "unserialisable",
                format!("cannot write the outcome as JSON: {error}"),
            )
        })?;
        invocation.output.answer(&answer, |page| render(page, &stopped));
        Ok(Exit::Ok)
    }
}

fn render(page: &mut Page, stopped: &Stopped) {
    match stopped.pid {
        Some(pid) => page.good("✔").text(format!(" stopped the server (pid {pid})")).end(),
        None => page.text("no server was running").end(),
    };
    if stopped.session.is_some() {
        let ended = count(i64::try_from(stopped.hints_ended).unwrap_or(i64::MAX), "hint");
        page.text(format!("  the session ended, and {ended} with ttl=session expired")).end();
    }
    if stopped.agent {
        page.text("  it was an agent's own server: that agent has no memory until it starts another").end();
    }
    if let Some(pid) = stopped.successor {
        page.text(format!("  another agent's server took over (pid {pid})")).end();
    }
}
