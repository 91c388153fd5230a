//! `nudge status`: whether a server runs, and where.

use std::time::Duration;

use clap::Args;
use nudge_core::{Fault, FaultKind};
use nudge_server::status::{ServerStatus, status};

use crate::exit::{Exit, Failure};
use crate::hint_page::{count, field, spell};
use crate::invocation::Invocation;
use crate::page::Page;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {}

impl StatusArgs {
    /// Looks without disturbing anything. That no server runs is no failure.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let status = status(&invocation.home()?);
        if let Some(port) = invocation.globals.port
            && status.port != Some(port)
        {
            return Err(Fault::new(
                FaultKind::Unavailable,
                "wrong_port",
                format!("no server has port {port}"),
            )
            .next("leave -p out to see which one runs")
            .into());
        }
        let answer = serde_json::to_value(&status).map_err(|error| {
            Fault::new(FaultKind::Internal, "unserialisable", format!("the status has no JSON form: {error}"))
        })?;
        invocation.output.answer(&answer, |page| render(page, &status));
        Ok(Exit::Ok)
    }
}

fn render(page: &mut Page, status: &ServerStatus) {
    match (status.running, status.responding) {
        (false, _) => {
            page.text("no server is running; commands open the memory themselves").end();
        }
        (true, false) => {
            page.warning("the server does not answer").text("; `nudge doctor` tells more").end();
        }
        (true, true) => {
            page.good("running").text(where_it_is(status)).end();
        }
    }
    if status.running {
        facts(page, status);
    }
    field(page, "memory", &status.home);
    if let Some(problem) = &status.problem {
        field(page, "problem", problem);
    }
}

fn where_it_is(status: &ServerStatus) -> String {
    let pid = status.pid.map_or_else(String::new, |pid| format!(" as pid {pid}"));
    let port = status.port.map_or_else(String::new, |port| format!(" on port {port}"));
    let pending =
        if status.port_pending { " (taken by another program, tried again each second)" } else { "" };
    format!("{pid}{port}{pending}")
}

fn facts(page: &mut Page, status: &ServerStatus) {
    if let Some(version) = &status.version {
        field(page, "version", version);
    }
    if let Some(instance) = &status.instance {
        field(page, "instance", instance);
    }
    if let (Some(started), Some(uptime)) = (&status.started, status.uptime_s) {
        field(page, "started", &format!("{started} ({} ago)", spell(Duration::from_secs(uptime))));
    }
    if let Some(hints) = status.hints {
        field(page, "holds", &count(hints, "hint"));
    }
    if status.ephemeral == Some(true) {
        field(page, "ephemeral", "its memory ends with it");
    }
}
