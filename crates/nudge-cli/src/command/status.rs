//! `nudge status`: shows whether a server runs and where, and what is switched off.

use std::time::Duration;

use clap::Args;
use nudge_client::status::{ServerStatus, status};
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{self, project};
use nudge_memory::manage_projects::claim_words;
use nudge_memory::projects;
use nudge_memory::upkeep::{self, Counts, RetentionHold};

use crate::command::pause;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::flags::claims;
use crate::invocation::{Invocation, now};
use crate::pages::words::{count, field, spell};
use crate::pages::{Page, time};

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
        let hook_times = capture::hook_times::read(&home, now);
        if !hook_times.is_empty() {
            answer["hook_times"] = serde_json::to_value(&hook_times).unwrap_or_default();
        }
        // The contents of an ephemeral server are in no file.
        let stored = if status.ephemeral == Some(true) { Ok(None) } else { read(&home) };
        answer["stored"] = serde_json::to_value(stored.as_ref().ok()).unwrap_or_default();
        invocation.output.answer(&answer, |page| {
            render(page, &status);
            match &stored {
                Ok(Some(stored)) => render_counts(page, stored),
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
            pause::list_pauses(page, &pauses, now);
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
    capture::pause::is_off(&resolved.settings, &project, here.to_str())
        .then_some("the settings exclude this place")
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

/// How many kinds of observations to name.
const MAX_KINDS: usize = 5;

/// Counts the entries; `None` if there is no memory.
fn read(home: &Home) -> Result<Option<Counts>, Fault> {
    match upkeep::open_for_reading(home, now())? {
        Some(memory) => upkeep::census(&memory, home, now()).map(Some),
        None => Ok(None),
    }
}

/// The counts as text.
fn render_counts(page: &mut Page, counts: &Counts) {
    let log = if counts.log_bytes > 0 { format!(", log {}", size(counts.log_bytes)) } else { String::new() };
    field(page, "size", &format!("{}{log}", size(counts.database_bytes)));
    let captured = [
        count(counts.sessions, "session"),
        count(counts.prompts, "prompt"),
        count(counts.observations, "observation"),
    ];
    field(page, "captured", &format!("{} in {}", captured.join(", "), count(counts.projects, "project")));
    if !counts.kinds.is_empty() {
        let kinds: Vec<String> =
            counts.kinds.iter().take(MAX_KINDS).map(|(kind, count)| format!("{count} {kind}")).collect();
        field(page, "mostly", &kinds.join(", "));
    }
    for (name, many, noun) in
        [("pinned", counts.pinned, "observation"), ("summarised", counts.summaries, "session")]
    {
        if many > 0 {
            field(page, name, &count(many, noun));
        }
    }
    if counts.duplicates > 0 {
        field(page, "duplicates", &count(counts.duplicates, "event"));
    }
    if counts.spool_bytes > 0 {
        field(page, "waiting", &format!("{} in the spool", size(counts.spool_bytes)));
    }
    if counts.drops > 0 {
        field(
            page,
            "dropped",
            &format!("{}; run `nudge doctor` to see why", count(counts.drops as i64, "event")),
        );
    }
    if let Some(oldest) = &counts.oldest {
        field(page, "since", &time::long_of_text(oldest));
    }
    if let Some(last) = &counts.last_session {
        let started = time::short_of_text(&last.started_at);
        field(
            page,
            "last session",
            &format!("{}, {} in {}, {started}", last.session, last.harness, last.project),
        );
    }
    if let Some(hold) = &counts.retention {
        held(page, hold);
    }
}

/// Why retention keeps more than the settings say, and the next step.
fn held(page: &mut Page, hold: &RetentionHold) {
    if let (Some(from), Some(to)) = (&hold.counts_from, &hold.jumped_to) {
        let (from, to) = (time::exact_of_text(from), time::exact_of_text(to));
        let why = format!(
            " the clock jumped from {from} to {to}; retention counts from before the jump. \
             If the clock is right: `nudge maintain --clock-is-right`"
        );
        page.warning("clock:").text(why).end();
    }
    if let (Some(due), Some(kept)) = (hold.due, hold.kept) {
        let why = format!(
            " the sweep stopped: {due} of {kept} rows are due, more than a tenth. \
             To remove them: `nudge maintain --remove-all-due`"
        );
        page.warning("retention:").text(why).end();
    }
}

/// Bytes in a unit that keeps the number short.
fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", units[unit])
}
