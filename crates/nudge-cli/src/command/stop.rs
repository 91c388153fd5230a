//! `nudge stop`: end the server and the session.

use clap::Args;
use nudge_client::control::{self, Stopped};
use nudge_core::{Fault, FaultKind};

use crate::agent_above::refuse_agents;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {}

impl StopArgs {
    /// Stops the server if one runs, and ends the session either way: hints that live for the
    /// session end now.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge stop")?;
        let home = invocation.home()?;
        if let Some(port) = invocation.globals.port {
            let recorded = nudge_client::status::status(&home).port;
            if recorded != Some(port) {
                return Err(Fault::new(
                    FaultKind::Unavailable,
                    "wrong_port",
                    format!("no server has port {port}"),
                )
                .next("`nudge status` says which one runs")
                .into());
            }
        }
        let stopped = control::stop(&home)?;
        let answer = serde_json::to_value(&stopped).map_err(|error| {
            Fault::new(
                FaultKind::Internal,
                "unserialisable",
                format!("the outcome has no JSON form: {error}"),
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
        page.text(format!("  the session has ended, and {ended} with ttl=session with it")).end();
    }
    if stopped.agent {
        page.text("  it was an agent's own server: that agent has no memory until it starts another").end();
    }
    if let Some(pid) = stopped.successor {
        page.text(format!("  the server of a living agent took over (pid {pid})")).end();
    }
}
