//! What is done with an event: read, parse, look whether it may, make a moment of it, deliver.

use std::path::Path;
use std::sync::Arc;

use nudge_core::{Fault, HookEvent};
use nudge_harness::Reply;
use nudge_memory::Settings;
use nudge_memory::capture::drops::{DropReason, Drops};
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{self, Here, Moment, Via, exclude, project, troubles};
use nudge_memory::settings;
use nudge_server::deliver;

use super::aside::Aside;
use super::progress::Progress;
use super::{Ending, HEAD_START, Intake, SETTINGS, stdin};
use crate::invocation::now;

/// Takes one event in; says what became of it and what to answer.
pub(super) fn work(progress: &Progress) -> (Ending, Option<String>) {
    let intake = &progress.intake;
    stdin::read(progress);
    let payload = progress.read();
    let event = match read_event(intake, &payload) {
        Ok(event) => event,
        Err(ending) => return (ending, None),
    };
    progress.is_event(&event.kind, event.session.as_deref());
    let ending = take_in(progress, &event, &payload);
    (ending, Some(nudge_harness::reply(intake.harness, &event, &Reply::NOTHING)))
}

fn read_event(intake: &Intake, payload: &[u8]) -> Result<HookEvent, Ending> {
    let aside = Aside::of(intake, None);
    if payload.trim_ascii().is_empty() {
        if !intake.tells {
            aside.log("empty");
        }
        return Err(Ending::Unreadable("standard input is empty".to_owned()));
    }
    // A byte that is no text costs that byte, not the event.
    match nudge_harness::parse(intake.harness, &String::from_utf8_lossy(payload)) {
        Ok(event) => Ok(event),
        Err(error) => {
            if !intake.tells {
                aside.lose(payload, DropReason::UnreadableInput, "parse");
            }
            Err(Ending::Unreadable(error.to_string()))
        }
    }
}

/// What is to be kept of a payload, or why nothing is; `None` when it is not whole.
pub(super) fn moment_of(intake: &Intake, payload: &[u8]) -> Option<Result<Moment, &'static str>> {
    let event = nudge_harness::parse(intake.harness, &String::from_utf8_lossy(payload)).ok()?;
    Some(moment(intake, &event, payload))
}

fn take_in(progress: &Progress, event: &HookEvent, payload: &[u8]) -> Ending {
    let intake = &progress.intake;
    let moment = match moment(intake, event, payload) {
        Ok(moment) => Arc::new(moment),
        Err(why) => return Ending::Passed(why),
    };
    progress.is_moment(&moment);
    let until = intake.until(Some(&event.kind)) - HEAD_START;
    let delivered = deliver::deliver(&intake.home, &moment, until);
    let aside = Aside::of(intake, Some(&event.kind));
    match delivered {
        Ok(delivered) => {
            progress.is_kept();
            delivered.look_around(&intake.home, &moment, until);
            // While there is room on the disk: it is needed when there is none.
            let _ = Drops::of(&intake.home).ensure();
            Ending::Kept
        }
        Err(fault) => {
            progress.is_aside();
            set_aside(&aside, &moment, payload, &fault)
        }
    }
}

fn set_aside(aside: &Aside<'_>, moment: &Moment, payload: &[u8], fault: &Fault) -> Ending {
    let ending = aside.spool(moment, payload, &fault.reason);
    let damaged = fault.reason == "damaged";
    if damaged && matches!(ending, Ending::SetAside { .. }) { Ending::Damaged } else { ending }
}

/// What is to be kept of an event, or why nothing is.
fn moment(intake: &Intake, event: &HookEvent, payload: &[u8]) -> Result<Moment, &'static str> {
    let now = now();
    // An agent that does not say where it works runs its hooks there.
    let own = if event.cwd.is_none() { std::env::current_dir().ok() } else { None };
    let said = event.cwd.as_deref().map(Path::new).or(own.as_deref());
    let cwd = said.filter(|cwd| cwd.is_absolute());
    let Some(settings) = settings_at(intake, cwd) else {
        Aside::of(intake, Some(&event.kind)).log(SETTINGS);
        return Err(SETTINGS);
    };
    let project = project::resolve(cwd, settings.project.as_deref());
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
    };
    let mut moment =
        capture::read(event, &String::from_utf8_lossy(payload), &here).ok_or("nothing to keep")?;
    // Told through both doors, it is still one event: only who told it differs.
    intake.name.clone_into(&mut moment.harness);
    if exclude::touches_excluded(&settings, &moment) { Err("excluded") } else { Ok(moment) }
}

/// The settings where the agent stands; `None` when a mistake leaves open what they keep out. What it is, `nudge doctor`
/// says.
fn settings_at(intake: &Intake, cwd: Option<&Path>) -> Option<Settings> {
    let cwd = cwd.unwrap_or(Path::new("/"));
    let resolved = settings::load(&intake.home, cwd, Vec::new()).ok()?;
    resolved.unsure.is_empty().then_some(resolved.settings)
}
