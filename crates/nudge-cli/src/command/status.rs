//! `nudge status`: shows whether a server runs and where, and what is switched off.

mod counts;

use std::time::Duration;

use clap::Args;
use nudge_client::status::{ServerStatus, status};
use nudge_core::{Fault, FaultKind};
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{exclude, project};
use nudge_memory::manage_projects::claim_words;
use nudge_memory::projects;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::pause;
use crate::pages::time;
use crate::pages::words::{count, field, spell};
use crate::projects::claims;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {}

impl StatusArgs {
    /// Reports the status and changes nothing. If no server runs, that is not a failure.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let status = status(&invocation.home()?);
        if let Some(port) = invocation.globals.port
            && status.port != Some(port)
        {
            return Err(Fault::new(
                FaultKind::Unavailable,
                "wrong_port",
                format!("no server is running on port {port}"),
            )
            .next("run `nudge status` without -p to see the port")
            .into());
        }
        let (now, home) = (now(), invocation.home()?);
        let pauses = Pauses::read(&home, now);
        let mut answer = serde_json::to_value(&status).map_err(|error| {
            Fault::new(
                FaultKind::Internal,
                "unserialisable",
                format!("cannot write the status as JSON: {error}"),
            )
        })?;
        // Unreadable settings turn off more than this; `doctor` reports that.
        let tells = invocation.settings().map_or(true, |settings| settings.inject);
        let uncaptured = capture_off_reason(invocation);
        answer["injects"] = tells.into();
        answer["captures"] = uncaptured.is_none().into();
        answer["off"] = crate::intake::is_off().into();
        let key = projects::of_directory(&working_directory()).key;
        let claim =
            claims(invocation).into_iter().find(|view| view.keys.contains(&key)).and_then(|view| view.claim);
        answer["claim"] = claim.clone().into();
        answer["paused"] = serde_json::to_value(&pauses.pauses).unwrap_or_default();
        // The contents of an ephemeral server are in no file.
        let stored = if status.ephemeral == Some(true) { Ok(None) } else { counts::read(&home) };
        answer["stored"] = serde_json::to_value(stored.as_ref().ok()).unwrap_or_default();
        invocation.output.answer(&answer, |page| {
            render(page, &status);
            match &stored {
                Ok(Some(stored)) => counts::render(page, stored),
                Ok(None) => {}
                Err(fault) => field(page, "problem", &fault.message),
            }
            if crate::intake::is_off() {
                page.warning("off:").text(" NUDGE_OFF is set; hooks do nothing").end();
            }
            if let Some(why) = uncaptured {
                page.warning("off:").text(format!(" {why}; nothing is captured here")).end();
            }
            if !tells {
                page.warning("off:").text(" inject.enabled is false here; agents get no context").end();
            }
            if let Some(name) = &claim {
                page.warning("name:").text(format!(" this directory {}", claim_words(name))).end();
            }
            pause::list(page, &pauses, now);
        });
        Ok(Exit::Ok)
    }
}

/// Why nothing is captured in this directory; `None` if capture is on.
pub(super) fn capture_off_reason(invocation: &Invocation) -> Option<&'static str> {
    let Ok(resolved) = invocation.resolved() else { return Some("the settings cannot be read") };
    if !resolved.unsure.is_empty() {
        return Some("the settings are unclear about what to exclude (see `nudge config`)");
    }
    if !resolved.settings.capture {
        return Some("capture is false");
    }
    let here = working_directory();
    let project = project::resolve(Some(&here), resolved.settings.project.as_deref());
    exclude::is_off(&resolved.settings, &project, here.to_str()).then_some("the settings exclude this place")
}

fn render(page: &mut Page, status: &ServerStatus) {
    match (status.running, status.responding) {
        (false, _) => {
            page.text("no server is running; commands open the memory directly").end();
        }
        (true, false) => {
            page.warning("the server does not answer").text("; run `nudge doctor`").end();
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
    let pending = if status.port_pending { " (in use by another program; retried every second)" } else { "" };
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
        field(
            page,
            "started",
            &format!("{} ({} ago)", time::exact_of_text(started), spell(Duration::from_secs(uptime))),
        );
    }
    if let Some(hints) = status.hints {
        field(page, "stored", &count(hints, "hint"));
    }
    if status.ephemeral == Some(true) {
        field(page, "ephemeral", "its memory is deleted when it stops");
    }
}
