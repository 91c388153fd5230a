//! What is kept of an event: whether it may be captured here, and what it then says.

use std::path::Path;

use nudge_core::{EventKind, HookEvent};
use nudge_home::{Settings, git, settings};
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{self, Here, Moment, Via, exclude, project, troubles};
use nudge_memory::inject::InjectionLimits;

use super::aside::Aside;
use super::request::Intake;
use crate::invocation::now;

/// Why nothing is captured while the settings cannot be read: who knows what they keep out.
pub(crate) const SETTINGS: &str = "settings";

/// What is to be kept of a payload, or why nothing is; `None` when it is not whole.
pub(super) fn moment_of(intake: &Intake, payload: &[u8]) -> Option<Result<Moment, &'static str>> {
    let event = nudge_harness::parse(intake.harness, &String::from_utf8_lossy(payload)).ok()?;
    Some(captured(intake, &event, payload).map(|captured| captured.moment))
}

/// What is to be done about an event.
pub(super) struct Captured {
    /// What is kept of it.
    pub(super) moment: Moment,
    /// How much its session may be given, where it may be given anything.
    pub(super) limits: Option<InjectionLimits>,
    /// Whether a server is to be started, if none runs.
    pub(super) starts_server: bool,
}

/// What is to be done about an event, or why nothing is.
pub(super) fn captured(intake: &Intake, event: &HookEvent, payload: &[u8]) -> Result<Captured, &'static str> {
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
    let is_start = matches!(event.kind, EventKind::SessionStart { .. });
    if is_start {
        (moment.worktree, moment.remote) = cwd.map_or((None, None), checkout);
    }
    let tells_branch = is_start || matches!(event.kind, EventKind::SessionEnd { .. } | EventKind::Stop);
    moment.branch = cwd.filter(|_| tells_branch).and_then(git::branch);
    let limits = limits(intake, event, &settings);
    Ok(Captured { moment, limits, starts_server: is_start && settings.start_server })
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
