//! What is done with an event: read, parse, look whether it may, make a moment of it, deliver.

use std::path::Path;
use std::sync::Arc;

use nudge_client::deliver::{self, Delivered};
use nudge_core::{EventKind, Fault, HookEvent};
use nudge_harness::{ParseError, Reply};
use nudge_home::Settings;
use nudge_home::git;
use nudge_home::settings;
use nudge_memory::capture::drops::{DropReason, Drops};
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{self, Here, Moment, Via, exclude, project, troubles};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::projects;

use super::aside::Aside;
use super::progress::Progress;
use super::{Done, Ending, HEAD_START, Intake, SETTINGS, stdin};
use crate::agent_above::agent_above;
use crate::context_args::working_directory;
use crate::invocation::now;

/// Takes one event in; says what became of it and what to answer.
pub(super) fn work(progress: &Progress) -> Done {
    let intake = &progress.intake;
    let whole = stdin::read(progress);
    let payload = progress.read();
    let read = if whole { read_event(intake, &payload) } else { Err(too_long(progress, &payload)) };
    let event = match read {
        Ok(event) => event,
        Err(ending) => return Done::with(ending),
    };
    progress.is_event(&event.kind, event.session.as_deref());
    let (ending, told) = take_in(progress, &event, &payload);
    let say = told.as_ref().map_or(Reply::NOTHING, |told| Reply {
        context: Some(told.context.clone()),
        notice: Some(told.notice()),
    });
    Done { ending, reply: Some(nudge_harness::reply(intake.harness, &event, &say)), told }
}

/// An input that was not read to its end.
fn too_long(progress: &Progress, payload: &[u8]) -> Ending {
    if !progress.intake.tells {
        progress.is_aside();
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

/// What is to be kept of a payload, or why nothing is; `None` when it is not whole.
pub(super) fn moment_of(intake: &Intake, payload: &[u8]) -> Option<Result<Moment, &'static str>> {
    let event = nudge_harness::parse(intake.harness, &String::from_utf8_lossy(payload)).ok()?;
    Some(moment(intake, &event, payload).map(|(moment, _)| moment))
}

fn take_in(progress: &Progress, event: &HookEvent, payload: &[u8]) -> (Ending, Option<Injected>) {
    let intake = &progress.intake;
    let (moment, limits) = match moment(intake, event, payload) {
        Ok((moment, limits)) => (Arc::new(moment), limits),
        Err(why) => return (Ending::Passed(why), None),
    };
    progress.is_moment(&moment);
    let until = intake.until(Some(&event.kind)) - HEAD_START;
    let delivered = deliver::deliver(&intake.home, &moment, limits, until, || progress.is_kept());
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
            progress.is_aside();
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

/// What is to be kept of an event, or why nothing is; and how much its session may be told.
fn moment(
    intake: &Intake,
    event: &HookEvent,
    payload: &[u8],
) -> Result<(Moment, Option<InjectionLimits>), &'static str> {
    let now = now();
    // An agent that does not say where it works runs its hooks there.
    let own = if event.cwd.is_none() { std::env::current_dir().ok() } else { None };
    let said = event.cwd.as_deref().map(Path::new).or(own.as_deref());
    let cwd = said.filter(|cwd| cwd.is_absolute());
    let Some(settings) = settings_at(intake, cwd) else {
        Aside::of(intake, Some(&event.kind)).log(SETTINGS);
        return Err(SETTINGS);
    };
    let mut project = project::resolve(cwd, settings.project.as_deref());
    project.said.private |= settings.private;
    project.said.strict = settings.strict_secrets;
    if exclude::is_off(&settings, &project, cwd.and_then(Path::to_str)) {
        return Err("excluded");
    }
    let pauses = Pauses::read(&intake.home, now);
    if pauses.hold(event.session.as_deref().unwrap_or_default(), &project.key) {
        troubles::count(&intake.home, "paused", now);
        return Err("paused");
    }
    let here = Here {
        now,
        project,
        headless: intake.headless,
        via: Via::Hook,
        own_root: Some(intake.home.root().to_string_lossy().into_owned()),
        is_own_tool: nudge_memory::registry::has,
    };
    let mut moment =
        capture::read(event, &String::from_utf8_lossy(payload), &here).ok_or("nothing to keep")?;
    // Told through both doors, it is still one event: only who told it differs.
    intake.name.clone_into(&mut moment.harness);
    if exclude::touches_excluded(&settings, &moment) {
        return Err("excluded");
    }
    if matches!(event.kind, EventKind::SessionStart { .. }) {
        (moment.worktree, moment.remote) = cwd.map_or((None, None), checkout);
    }
    Ok((moment, limits(intake, event, &settings)))
}

/// How much the session may be told, where its agent takes an answer to this event at all.
fn limits(intake: &Intake, event: &HookEvent, settings: &Settings) -> Option<InjectionLimits> {
    let known = intake.harness.spec().event(&event.name);
    InjectionLimits::of(settings, intake.headless).filter(|_| known.is_some_and(|event| event.context))
}

/// The worktree that a directory is in, when it is not the main one, and the address its repository is shared under.
fn checkout(cwd: &Path) -> (Option<String>, Option<String>) {
    let linked = git::place(cwd).filter(|place| place.linked);
    (linked.map(|place| place.root.to_string_lossy().into_owned()), git::remote(cwd))
}

/// The settings where the agent stands; `None` when a mistake leaves open what they keep out. What it is, `nudge doctor`
/// says.
fn settings_at(intake: &Intake, cwd: Option<&Path>) -> Option<Settings> {
    let cwd = cwd.unwrap_or(Path::new("/"));
    let resolved = settings::load(&intake.home, cwd, Vec::new()).ok()?;
    resolved.unsure.is_empty().then_some(resolved.settings)
}
