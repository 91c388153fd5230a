//! What is done with an event: read, parse, look whether it may, make a moment of it, deliver.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nudge_client::deliver::{self, Delivered};
use nudge_core::{Fault, HookEvent};
use nudge_harness::{ParseError, Reply};
use nudge_memory::capture::Moment;
use nudge_memory::capture::drops::{DropReason, Drops};
use nudge_memory::inject::Injected;
use nudge_memory::projects;

use super::answer;
use super::aside::Aside;
use super::background;
use super::captured::{Captured, captured};
use super::outcome::{Done, Ending};
use super::progress::Progress;
use super::request::Intake;
use super::stdin;
use crate::agent_above::agent_above;
use crate::context_args::working_directory;

/// How much earlier the store is no longer waited for, so that there is time to spool before the watch does.
const HEAD_START: Duration = Duration::from_millis(15);

/// Takes one event in; says what became of it and what to answer.
pub(super) fn work(progress: &Progress) -> Done {
    let intake = &progress.intake;
    let whole = stdin::read(|bytes| progress.add_input(bytes));
    let payload = progress.end_input();
    let read = if whole { read_event(intake, &payload) } else { Err(too_long(progress, &payload)) };
    let event = match read {
        Ok(event) => event,
        Err(ending) => return Done::with(ending),
    };
    progress.note_event(&event.kind, event.session.as_deref());
    answer::await_last(intake, &event);
    let (ending, told) = take_in(progress, &event, &payload);
    Done { ending, reply: Some(reply(intake, &event, told.as_ref())), told }
}

/// What the session gets, in its agent's dialect.
fn reply(intake: &Intake, event: &HookEvent, told: Option<&Injected>) -> String {
    let say = told.map_or(Reply::NOTHING, |told| Reply {
        context: Some(told.context.clone()),
        notice: Some(told.notice()),
    });
    nudge_harness::reply(intake.harness, event, &say)
}

/// An input that was not read to its end.
fn too_long(progress: &Progress, payload: &[u8]) -> Ending {
    if !progress.intake.tells {
        progress.begin_aside();
        Aside::of(&progress.intake, None).lose(payload, DropReason::UnreadableInput, "too_long");
    }
    Ending::Unreadable("the payload is longer than 64 MiB".to_owned())
}

fn read_event(intake: &Intake, payload: &[u8]) -> Result<HookEvent, Ending> {
    let aside = Aside::of(intake, None);
    if payload.trim_ascii().is_empty() {
        if !intake.tells {
            aside.log("empty");
        }
        return Err(Ending::Unreadable("standard input is empty".to_owned()));
    }
    // In a hook a byte that is no text costs that byte, not the event; whoever calls `record` can mend it.
    if let Err(error) = std::str::from_utf8(payload)
        && intake.tells
    {
        let at = error.valid_up_to();
        return Err(Ending::Unreadable(format!("the payload is not valid UTF-8 at byte {at}")));
    }
    match nudge_harness::parse(intake.harness, &String::from_utf8_lossy(payload)) {
        Ok(event) if !intake.tells => Ok(event),
        Ok(event) => match (blank_field(&event), elsewhere(&event)) {
            (Some(field), _) => Err(Ending::Unreadable(ParseError::Missing(field).to_string())),
            (None, Some(why)) => Err(Ending::Unreadable(why)),
            (None, None) => Ok(event),
        },
        Err(error) => {
            if !intake.tells {
                aside.lose(payload, DropReason::UnreadableInput, "parse");
            }
            Err(Ending::Unreadable(error.to_string()))
        }
    }
}

/// The field that has to say something and holds blanks alone. It is refused where the caller is told of it; a hook is quiet.
fn blank_field(event: &HookEvent) -> Option<&'static str> {
    let required = [
        ("hook_event_name", Some(event.name.as_str())),
        ("session_id", event.session.as_deref()),
        ("cwd", event.cwd.as_deref()),
    ];
    let blank = |said: Option<&str>| said.is_none_or(|said| said.trim().is_empty());
    required.into_iter().find(|(_, said)| blank(*said)).map(|(field, _)| field)
}

/// Why an agent may not record this event: it names another project than the one the agent works in. What lies below
/// its directory is its own. A hook is run by the agent's program and not by the agent, and is not asked.
fn elsewhere(event: &HookEvent) -> Option<String> {
    let agent = agent_above()?;
    let (here, there) = (working_directory(), Path::new(event.cwd.as_deref()?));
    let is_own =
        there.starts_with(&here) || projects::of_directory(&here).key == projects::of_directory(there).key;
    (!is_own).then(|| format!("an agent ({agent}) records events for the project it works in and no other"))
}

fn take_in(progress: &Progress, event: &HookEvent, payload: &[u8]) -> (Ending, Option<Injected>) {
    let intake = &progress.intake;
    let Captured { moment, limits, starts_server } = match captured(intake, event, payload) {
        Ok(captured) => captured,
        Err(why) => return (Ending::Passed(why), None),
    };
    let moment = Arc::new(moment);
    progress.note_moment(&moment);
    let until = intake.until(Some(&event.kind)) - HEAD_START;
    let replied = |told: &Injected| progress.note_reply(reply(intake, event, Some(told)), told);
    let delivered = deliver::deliver(&intake.home, &moment, limits, until, || progress.note_kept(), replied);
    if starts_server {
        background::start(&intake.home);
    }
    let aside = Aside::of(intake, Some(&event.kind));
    match delivered {
        Ok(Delivered { reply, unanswered }) => {
            // A reply that cannot be made costs the session a line or two, never the event.
            if let Some(fault) = unanswered {
                aside.because(&fault).log(&format!("untold:{}", fault.reason));
            }
            // While there is room on the disk: it is needed when there is none.
            let _ = Drops::of(&intake.home).ensure();
            (Ending::Kept, reply)
        }
        Err(fault) => {
            progress.begin_aside();
            (set_aside(&aside.because(&fault), &moment, payload, &fault), None)
        }
    }
}

fn set_aside(aside: &Aside<'_>, moment: &Moment, payload: &[u8], fault: &Fault) -> Ending {
    match aside.spool(moment, payload, &fault.reason) {
        Ending::Lost { reason } if fault.reason == Fault::DAMAGED => Ending::Damaged { lost: Some(reason) },
        _ if fault.reason == Fault::DAMAGED => Ending::Damaged { lost: None },
        ending => ending,
    }
}
