//! Sends one event through the exact command that the agent would run, searches for it, and removes
//! it.

use nudge_memory::recall::{ProjectParam, Search, SearchParams};
use std::process::Command;
use std::time::{Duration, Instant};

use nudge_client::open;
use nudge_core::Fault;
use nudge_memory::upkeep;
use nudge_memory::upkeep::purge::{self, Filter};
use serde_json::Value;

use super::AgentFacts;
use super::entries::run_briefly;
use crate::command::doctor::finding::Finding;
use crate::context_args::{here, working_directory};
use crate::invocation::{Invocation, now};

/// If the probe took longer than this and the event did not arrive, the finding says how long.
const SLOW_HOOK: Duration = Duration::from_millis(200);

/// Sends a prompt, searches for it, and removes it.
pub(super) fn check(invocation: &Invocation, about: &AgentFacts<'_>) -> Option<Finding> {
    let installer = about.agent.0.installer()?;
    let line = about.hooks()?.0.hook_line(about.place)?;
    // A number, because a word that looks random would be treated as a secret.
    let word = format!("{}{:05}", now().as_millis(), std::process::id() % 100_000);
    let session = format!("nudge-doctor-{word}");
    let cwd = working_directory();
    let payload = (installer.prompt)(&session, &cwd.to_string_lossy(), &format!("nudge doctor asks {word}"));
    // A hook never creates or migrates a memory. Without this, it would spool the event.
    let opened = create_memory(invocation);
    let began = Instant::now();
    let sent = opened.and_then(|()| send(&line, &payload));
    let took = began.elapsed();
    let at_once = sent.and_then(|()| is_found(invocation, &word));
    // A hook spools the event if it cannot store it in time. The next process that opens the memory
    // imports it.
    let is_late = matches!(at_once, Ok(false)) && create_memory(invocation).is_ok();
    let found = if is_late { is_found(invocation, &word) } else { at_once };
    let removed = remove(invocation, &session);
    let millis = took.as_millis();
    Some(match found {
        Ok(true) if is_late => Finding::warn(
            about.name(),
            format!("a test event was late: it went to the spool and was imported from there ({millis} ms)"),
            "see `store` and `index` here: another process keeps the memory busy; nothing is lost",
        ),
        Ok(true) => match removed {
            Ok(()) => Finding::ok(about.name(), format!("a test event was stored and found, in {millis} ms")),
            Err(fault) => Finding::warn(
                about.name(),
                format!("a test event was stored and found, but not removed: {}", fault.message),
                format!("remove it: nudge purge --session {session} --yes"),
            ),
        },
        Ok(false) => {
            let late = if took > SLOW_HOOK { format!(" (it took {millis} ms)") } else { String::new() };
            Finding::fail(
                about.name(),
                format!("a test event did not arrive{late}: {line}"),
                "see `hooks`, `settings` and `store` here; `nudge status` lists what is paused or off",
            )
        }
        Err(why) => Finding::fail(
            about.name(),
            format!("a test event could not be sent: {}", why.message),
            "run the line yourself to see why",
        ),
    })
}

fn create_memory(invocation: &Invocation) -> Result<(), Fault> {
    let home = invocation.home()?;
    home.prepare()?;
    open::open(&home, &invocation.settings()?, open::OpenFor::Write).map(drop)
}

/// Runs the command line as the agent does.
fn send(line: &str, payload: &Value) -> Result<(), Fault> {
    let failed = |why: String| Fault::invalid("probe_failed", why);
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    let ended = run_briefly(command, payload.to_string().as_bytes());
    let ended = ended.ok_or_else(|| failed("the hook did not end within three seconds".to_owned()))?;
    let said = String::from_utf8_lossy(&ended.errors).trim().to_owned();
    if ended.status.success() && said.is_empty() {
        return Ok(());
    }
    Err(failed(format!("the hook ended with {}: {said}", ended.status)))
}

fn is_found(invocation: &Invocation, word: &str) -> Result<bool, Fault> {
    let params =
        SearchParams { query: word.to_owned(), project: ProjectParam::All, ..SearchParams::default() };
    Ok(!invocation.ask::<Search>(&params, here())?.results.is_empty())
}

fn remove(invocation: &Invocation, session: &str) -> Result<(), Fault> {
    let home = invocation.home()?;
    let memory = upkeep::open(&home, &invocation.settings()?, now())?;
    let filter = Filter { session: Some(session.to_owned()), ..Filter::default() };
    purge::purge(&memory, &home, &filter, now()).map(drop)
}
