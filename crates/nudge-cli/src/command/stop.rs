//! `nudge stop`: stops the server and ends the session.

use clap::Args;
use nudge_client::control::{self, Stopped};
use nudge_core::{Fault, FaultKind};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

// The arguments. The summary is in `cli.rs`, with the others.
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
