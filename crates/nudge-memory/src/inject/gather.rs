//! Gathers what a session may get. Every read is limited to the newest few rows, however large the
//! store is.
//!
//! A gatherer looks for one kind of line. A new kind needs a gatherer here and a section in
//! `nudge-context`.

mod ask;
mod at_tool;
mod gathering;
mod live_state;
mod prompt;
mod rows;
mod stated;
mod stopped;

use nudge_context::Trigger;
use nudge_core::Fault;

use super::cooldown::Cooldown;
use super::request::InjectionRequest;
use crate::operation::RUNS;
pub(super) use ask::{is_worth_asking, was_asked_lately};
pub(super) use gathering::Gathered;
use gathering::Gathering;

/// How many of a project's newest sessions are searched for rows.
const MAX_SESSIONS: u32 = 100;

/// Looks for one kind of line.
type Gatherer = fn(&Gathering<'_>, &mut Gathered) -> Result<(), Fault>;

/// The gatherers of a start.
const AT_START: &[Gatherer] = &[
    stated::gather,
    stopped::gather,
    live_state::gather,
    rows::gather_notes,
    rows::of_start,
    stopped::gather_intents,
    rows::gather_elsewhere,
];

/// The gatherers of a resumed session that still has the block it got.
const AT_RESUME: &[Gatherer] = &[live_state::gather];

/// The gatherers of a subagent's start.
const AT_SUBAGENT_START: &[Gatherer] = &[stated::gather];

/// The gatherers of a session that lost its context. Work in flight is removed from the rows, so
/// its gatherer comes last.
const AT_RECOVERY: &[Gatherer] = &[
    stated::gather,
    live_state::gather,
    rows::gather_notes,
    rows::of_recovery,
    stopped::gather_intents,
    rows::gather_elsewhere,
    stopped::gather_recovery,
];

/// The gatherers that run on a trigger.
const fn gatherers(trigger: Trigger, has_block: bool) -> &'static [Gatherer] {
    match trigger {
        Trigger::Resume if has_block => AT_RESUME,
        Trigger::Start | Trigger::Fork | Trigger::Resume => AT_START,
        Trigger::Clear | Trigger::Compact => AT_RECOVERY,
        Trigger::Subagent => AT_SUBAGENT_START,
        // A prompt or a command is looked up before anything else is read.
        Trigger::Prompt | Trigger::BeforeTool | Trigger::AfterTool | Trigger::Outcome => &[],
    }
}

/// Everything that a session may get.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    if request.trigger == Trigger::Prompt {
        let mut gathered = prompt::gather(request)?;
        gathered.facts.asks_about = ask::gather(request)?;
        return Ok(gathered);
    }
    if matches!(request.trigger, Trigger::BeforeTool | Trigger::AfterTool | Trigger::Outcome) {
        return at_tool::gather(request);
    }
    let cooldown = Cooldown::of(request.reader, request.project, request.now)?;
    let gathering = gathering(request, cooldown)?;
    let mut gathered = Gathered::default();
    gathered.facts.project.clone_from(&gathering.project);
    for gatherer in gatherers(request.trigger, request.has_block) {
        gatherer(&gathering, &mut gathered)?;
    }
    Ok(gathered)
}

/// Reads what the gatherers share.
fn gathering<'g>(request: &'g InjectionRequest<'g>, cooldown: Cooldown) -> Result<Gathering<'g>, Fault> {
    let (project, remote) = request.reader.project_label(request.project)?.unwrap_or_default();
    let mut sessions = request.reader.working_sessions_of(request.project, MAX_SESSIONS)?;
    sessions.retain(|session| session.harness != RUNS);
    let own = request.own(&sessions)?;
    let places = request.places(&sessions, &own)?;
    Ok(Gathering { request, project, sessions, own, places, cooldown, remote })
}
