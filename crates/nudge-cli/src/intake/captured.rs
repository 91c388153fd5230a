//! Decides whether an event may be captured here, builds the captured event, and keeps it where the
//! memory does not accept it.

use std::path::Path;

use nudge_client::Failed;
use nudge_core::{EventKind, Fault, HookEvent};
use nudge_home::{Settings, git, settings};
use nudge_memory::capture::drops::{self, DropReason, Drops};
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::spool::Spool;
use nudge_memory::capture::{self, CapturedEvent, CapturedVia, ReadContext, pause, project, troubles};
use nudge_memory::inject::InjectionLimits;

use super::request::{EventOutcome, Intake};
use crate::invocation::now;

/// The reason when the settings cannot be read. Nothing is captured then, because the exclusions
/// are unknown.
pub(crate) const SETTINGS_REASON: &str = "settings";

/// The captured event of a payload, or why nothing is captured; `None` if the payload is
/// incomplete.
pub(super) fn capture_payload(
    intake: &Intake,
    payload: &[u8],
) -> Option<Result<CapturedEvent, &'static str>> {
    let event = intake.parse(payload).ok()?;
    Some(capture_event(intake, &event, payload).map(|captured| captured.captured))
}

/// An event to store, and what to do with it.
pub(super) struct CapturePlan {
    /// The captured event.
    pub(super) captured: CapturedEvent,
    /// How much may be injected into its session; `None` if nothing may.
    pub(super) limits: Option<InjectionLimits>,
    /// Whether to start a server if none runs.
    pub(super) starts_server: bool,
}

/// The captured event and what to do with it, or why nothing is captured.
pub(super) fn capture_event(
    intake: &Intake,
    event: &HookEvent,
    payload: &[u8],
) -> Result<CapturePlan, &'static str> {
    let now = now();
    // An agent that does not send its working directory runs its hooks in it.
    let own = if event.cwd.is_none() { std::env::current_dir().ok() } else { None };
    let said = event.cwd.as_deref().map(Path::new).or(own.as_deref());
    let cwd = said.filter(|cwd| cwd.is_absolute());
    let Some(settings) = settings_at(intake, cwd) else {
        Fallback::of(intake, Some(&event.kind)).log(SETTINGS_REASON);
        return Err(SETTINGS_REASON);
    };
    let mut project = project::resolve(cwd, settings.project.as_deref());
    project.claims.private |= settings.private;
    project.claims.strict = settings.strict_secrets;
    if pause::is_off(&settings, &project, cwd.and_then(Path::to_str)) {
        return Err("excluded");
    }
    let pauses = Pauses::read(&intake.home, now);
    if pauses.is_paused(event.session.as_deref().unwrap_or_default(), &project.key) {
        troubles::count(&intake.home, "paused", now);
        return Err("paused");
    }
    let here = ReadContext {
        now,
        project,
        headless: intake.headless,
        via: CapturedVia::Hook,
        own_root: Some(intake.home.root().to_string_lossy().into_owned()),
        is_own_tool: nudge_agent::registry::has,
    };
    let mut captured =
        capture::read(event, &String::from_utf8_lossy(payload), &here).ok_or("nothing to keep")?;
    // An event that arrives through both hook and `record` is still one event; only the source name
    // differs.
    intake.name.clone_into(&mut captured.harness);
    if pause::touches_excluded(&settings, &captured) {
        return Err("excluded");
    }
    let is_start = matches!(event.kind, EventKind::SessionStart { .. });
    if is_start {
        (captured.worktree, captured.remote) = cwd.map_or((None, None), checkout);
    }
    let tells_branch = is_start || matches!(event.kind, EventKind::SessionEnd { .. } | EventKind::Stop);
    captured.branch = cwd.filter(|_| tells_branch).and_then(git::branch);
    let limits = injection_limits(intake, event, &settings);
    Ok(CapturePlan { captured, limits, starts_server: is_start && settings.start_server })
}

/// How much may be injected; `None` if the agent accepts no context for this event.
fn injection_limits(intake: &Intake, event: &HookEvent, settings: &Settings) -> Option<InjectionLimits> {
    let known = intake.harness.spec().event(&event.name);
    InjectionLimits::of(settings, intake.headless).filter(|_| known.is_some_and(|event| event.context))
}

/// The linked worktree of a directory (`None` in the main one), and the remote address of its
/// repository.
fn checkout(cwd: &Path) -> (Option<String>, Option<String>) {
    let linked = git::checkout(cwd).filter(|place| place.linked);
    (linked.map(|place| place.root.to_string_lossy().into_owned()), git::remote(cwd))
}

/// The settings in the agent's directory; `None` if a mistake in them makes the exclusions unclear.
/// `nudge doctor` reports the mistake.
fn settings_at(intake: &Intake, cwd: Option<&Path>) -> Option<Settings> {
    let cwd = cwd.unwrap_or(Path::new("/"));
    let resolved = settings::load(&intake.home, cwd, Vec::new()).ok()?;
    resolved.unsure.is_empty().then_some(resolved.settings)
}

// Where an event goes if the memory does not accept it: the spool, else the drop record, with a
// line in the log.

/// The spool, the drop record and the log, for one event.
pub(super) struct Fallback<'a> {
    intake: &'a Intake,
    kind: &'static str,
    fault: Option<&'a Fault>,
}

impl<'a> Fallback<'a> {
    pub(super) fn of(intake: &'a Intake, kind: Option<&EventKind>) -> Self {
        Self { intake, kind: kind.map_or("none", EventKind::name), fault: None }
    }

    /// The same, with the fault that caused it. The log then includes the cause.
    pub(super) fn with_cause(self, fault: &'a Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Spools an event. If even that fails, records its payload as lost.
    pub(super) fn spool(&self, captured: &CapturedEvent, payload: &[u8], why: &str) -> EventOutcome {
        match Spool::of(&self.intake.home).append(captured) {
            Ok(()) => {
                self.log(&format!("spooled:{why}"));
                EventOutcome::Spooled { why: why.to_owned() }
            }
            Err(error) => self.record_lost(payload, DropReason::of(&error), why),
        }
    }

    /// Records a payload as lost. An empty payload is only logged.
    pub(super) fn record_lost(&self, payload: &[u8], reason: DropReason, why: &str) -> EventOutcome {
        if !payload.trim_ascii().is_empty() {
            let noted = Drops::of(&self.intake.home).note(hash(payload), reason, now());
            if noted.is_err() {
                self.log("drop_not_noted");
            }
        }
        self.log(&format!("lost:{}:{why}", reason.name()));
        EventOutcome::Lost { reason }
    }

    /// Writes a line to the hook log.
    pub(super) fn log(&self, reason: &str) {
        let Intake { home, name, began, .. } = self.intake;
        let failed = self.fault.map(|fault| Failed::new(self.kind, name, began.elapsed(), fault));
        let cause = failed.map_or_else(String::new, |failed| failed.to_string());
        troubles::note_with_detail(home, name, self.kind, reason, &cause, now());
    }
}

/// The hash that identifies a payload in the drop record.
fn hash(payload: &[u8]) -> [u8; 16] {
    drops::hash_of(payload.trim_ascii())
}
