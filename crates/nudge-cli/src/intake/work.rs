//! The steps for an event: read, parse, check the settings, capture, deliver.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nudge_client::deliver::{self, Delivered};
use nudge_client::{background, lock};
use nudge_core::event::EventKind;
use nudge_core::{Fault, HookEvent};
use nudge_harness::{ParseError, Reply, transcript};
use nudge_home::{Home, surroundings};
use nudge_memory::capture::CapturedEvent;
use nudge_memory::capture::drops::{DropReason, Drops};
use nudge_memory::inject::Injected;
use nudge_memory::{hints, projects};

use super::captured::{CapturePlan, Fallback, capture_event};
use super::progress::Progress;
use super::request::{EventOutcome, Intake, WorkResult, read};
use crate::agent_above::calling_agent;
use crate::context_args::working_directory;

/// Stop waiting for the store this long before the deadline, so that this thread can spool the
/// event before the watch thread does.
const HEAD_START: Duration = Duration::from_millis(15);

/// Records one event. Returns the outcome and the answer.
pub(super) fn work(progress: &Progress) -> WorkResult {
    let intake = &progress.intake;
    let whole = read(|bytes| progress.add_input(bytes));
    let payload = progress.end_input();
    let read = if whole { read_event(intake, &payload) } else { Err(too_long(progress, &payload)) };
    let event = match read {
        Ok(event) => event,
        Err(ending) => return WorkResult::with(ending),
    };
    progress.note_event(&event.kind, event.session.as_deref());
    wait_for_last_answer(intake, &event);
    let (ending, injected) = capture_and_deliver(progress, &event, &payload);
    WorkResult { ending, reply: Some(reply(intake, &event, injected.as_ref())), injected }
}

/// The answer for the session, in its agent's dialect.
fn reply(intake: &Intake, event: &HookEvent, injected: Option<&Injected>) -> String {
    let say = injected.map_or(Reply::NOTHING, |injected| Reply {
        context: Some(injected.context.clone()),
        notice: Some(injected.notice()),
    });
    nudge_harness::reply(intake.harness, event, &say)
}

/// The outcome for an input that was not read to its end.
fn too_long(progress: &Progress, payload: &[u8]) -> EventOutcome {
    if !progress.intake.reports_errors {
        progress.begin_fallback();
        Fallback::of(&progress.intake, None).record_lost(payload, DropReason::UnreadableInput, "too_long");
    }
    EventOutcome::Unreadable("the payload is longer than 64 MiB".to_owned())
}

fn read_event(intake: &Intake, payload: &[u8]) -> Result<HookEvent, EventOutcome> {
    let fallback = Fallback::of(intake, None);
    if payload.trim_ascii().is_empty() {
        if !intake.reports_errors {
            fallback.log("empty");
        }
        return Err(EventOutcome::Unreadable("standard input is empty".to_owned()));
    }
    // In a hook, an invalid byte costs that byte and not the event. A caller of `record` can fix
    // it.
    if let Err(error) = std::str::from_utf8(payload)
        && intake.reports_errors
    {
        let at = error.valid_up_to();
        return Err(EventOutcome::Unreadable(format!("the payload is not valid UTF-8 at byte {at}")));
    }
    match intake.parse(payload) {
        Ok(event) if !intake.reports_errors => Ok(event),
        Ok(event) => match (blank_field(&event), foreign_project_error(&event)) {
            (Some(field), _) => Err(EventOutcome::Unreadable(ParseError::Missing(field).to_string())),
            (None, Some(why)) => Err(EventOutcome::Unreadable(why)),
            (None, None) => Ok(event),
        },
        Err(error) => {
            if !intake.reports_errors {
                fallback.record_lost(payload, DropReason::UnreadableInput, "parse");
            }
            Err(EventOutcome::Unreadable(error.to_string()))
        }
    }
}

/// A required field that is missing or blank. `record` rejects such an event; a hook stays quiet.
fn blank_field(event: &HookEvent) -> Option<&'static str> {
    let required = [
        ("hook_event_name", Some(event.name.as_str())),
        ("session_id", event.session.as_deref()),
        ("cwd", event.cwd.as_deref()),
    ];
    let blank = |said: Option<&str>| said.is_none_or(|said| said.trim().is_empty());
    required.into_iter().find(|(_, said)| blank(*said)).map(|(field, _)| field)
}

/// Why an agent may not record this event: it names another project than the one the agent works
/// in. Directories below its own are allowed. Hooks skip this check, because the agent's program
/// runs them and not the agent.
fn foreign_project_error(event: &HookEvent) -> Option<String> {
    let agent = calling_agent()?;
    let (here, there) = (working_directory(), event.cwd.as_deref()?);
    // Not compared as text: `..` and links lead elsewhere.
    let is_below = || hints::check_claim(&surroundings::here(&here), Some(there), None).is_ok();
    let is_own =
        projects::of_directory(&here).key == projects::of_directory(Path::new(there)).key || is_below();
    (!is_own).then(|| format!("an agent ({agent}) records events for the project it works in and no other"))
}

fn capture_and_deliver(
    progress: &Progress,
    event: &HookEvent,
    payload: &[u8],
) -> (EventOutcome, Option<Injected>) {
    let intake = &progress.intake;
    let CapturePlan { captured, limits, starts_server } = match capture_event(intake, event, payload) {
        Ok(captured) => captured,
        Err(why) => return (EventOutcome::Skipped(why), None),
    };
    let captured = Arc::new(captured);
    progress.note_captured(&captured);
    let until = intake.until(Some(&event.kind)) - HEAD_START;
    let replied = |injected: &Injected| progress.note_reply(reply(intake, event, Some(injected)), injected);
    let delivered =
        deliver::deliver(&intake.home, &captured, limits, until, || progress.note_stored(), replied);
    if starts_server {
        start_reactions(&intake.home);
    }
    let fallback = Fallback::of(intake, Some(&event.kind));
    match delivered {
        Ok(Delivered { reply, unanswered }) => {
            // If the reply fails, the session misses a line or two. The event is safe.
            if let Some(fault) = unanswered {
                fallback.with_cause(&fault).log(&format!("untold:{}", fault.reason));
            }
            // Create the drop record while the disk has room: it is needed when the disk is full.
            let _ = Drops::of(&intake.home).ensure();
            (EventOutcome::Stored, reply)
        }
        Err(fault) => {
            progress.begin_fallback();
            (spool_after_fault(&fallback.with_cause(&fault), &captured, payload, &fault), None)
        }
    }
}

fn spool_after_fault(
    fallback: &Fallback<'_>,
    captured: &CapturedEvent,
    payload: &[u8],
    fault: &Fault,
) -> EventOutcome {
    match fallback.spool(captured, payload, &fault.reason) {
        EventOutcome::Lost { reason } if fault.reason == Fault::DAMAGED => {
            EventOutcome::Damaged { lost: Some(reason) }
        }
        _ if fault.reason == Fault::DAMAGED => EventOutcome::Damaged { lost: None },
        ending => ending,
    }
}

// Starts a server in the background, if the settings ask for one.

/// Starts a server if none runs. Nobody waits for it: this session works without one.
fn start_reactions(home: &Home) {
    if lock::is_held(&home.lock_file()) {
        return;
    }
    let _ = background::command(home)
        .and_then(|mut command| command.args(["serve", "--daemon"]).current_dir(home.root()).spawn());
}

// Waits for text that an agent writes only after it has started its hook.

/// How long to wait for the last answer of a turn. Agents that write it late do so within a tenth
/// of a second.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(150);

/// How often to check the transcript while waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How many bytes at the end of the transcript to read.
const TAIL_BYTES: u64 = 64 * 1024;

/// At the end of a turn, if the hook's event leaves out the agent's answer, waits until the
/// transcript has it.
fn wait_for_last_answer(intake: &Intake, event: &HookEvent) {
    let is_left_out = event.kind == EventKind::Stop && event.message.is_none() && event.agent.is_none();
    let Some(path) = event.transcript.as_deref().filter(|_| is_left_out && !intake.reports_errors) else {
        return;
    };
    if !transcript::has_answers(intake.harness) {
        return;
    }
    let began = Instant::now();
    while !has_answer(intake, path) && began.elapsed() < ANSWER_TIMEOUT {
        sleep(POLL_INTERVAL);
    }
}

fn has_answer(intake: &Intake, path: &str) -> bool {
    let Some(end) = end_of(Path::new(path)) else { return false };
    transcript::last_answer(intake.harness, path, &end).is_some()
}

fn end_of(path: &Path) -> Option<String> {
    // Do not wait for a pipe or device in place of a file.
    let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
