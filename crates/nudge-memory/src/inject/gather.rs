//! Gathering what a session may get. Every read is of the newest few of something, whatever the store holds.
//!
//! A gatherer looks for one kind of line. A new kind is a gatherer here and a section in `nudge-context`.

mod best_rows;
mod elsewhere;
mod gathered;
mod intents;
mod notes;
mod recovery;
mod rows;

use std::collections::HashMap;

use nudge_context::{Row, Trigger, Where};
use nudge_core::Fault;
use nudge_store::{RecentRow, SessionId, SessionRow};

use super::cooldown::Cooldown;
use super::request::InjectionRequest;
pub(super) use gathered::Gathered;

/// In how many of a project's newest sessions rows are looked for.
const SESSIONS: u32 = 100;

/// Looks for one kind of line.
type Gatherer = fn(&Gathering<'_>, &mut Gathered) -> Result<(), Fault>;

/// The gatherers of a start.
const START: &[Gatherer] = &[notes::gather, rows::gather, intents::gather, elsewhere::gather];

/// The gatherers of a session that lost its context. What is in flight is taken out of the rows, so it comes last.
const RECOVERY: &[Gatherer] =
    &[notes::gather, rows::gather, intents::gather, elsewhere::gather, recovery::gather];

/// Who gathers on a trigger.
const fn gatherers(trigger: Trigger) -> &'static [Gatherer] {
    match trigger {
        Trigger::Start | Trigger::Fork | Trigger::Resume => START,
        Trigger::Clear | Trigger::Compact => RECOVERY,
        Trigger::Prompt | Trigger::BeforeTool | Trigger::AfterTool => &[],
    }
}

/// What gatherers share: the request, and what several of them would read.
struct Gathering<'g> {
    request: &'g InjectionRequest<'g>,
    /// The newest sessions of the project in which something was done.
    sessions: Vec<SessionRow>,
    /// Those of them that are the very session that asks; the one that lost its context first.
    own: Vec<SessionId>,
    places: HashMap<SessionId, Where>,
    cooldown: Cooldown,
    /// The address that the project is shared under.
    remote: Option<String>,
}

/// All that a session may get.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let (name, remote) = request.reader.project_label(request.project)?.unwrap_or_default();
    let sessions = request.reader.busy_sessions_of(request.project, SESSIONS)?;
    let own = request.own(&sessions)?;
    let places = request.places(&sessions, &own)?;
    let cooldown = Cooldown::of(request.reader, request.project, request.now)?;
    let gathering = Gathering { request, sessions, own, places, cooldown, remote };
    let mut gathered = Gathered::default();
    gathered.facts.project = name;
    for gatherer in gatherers(request.trigger) {
        gatherer(&gathering, &mut gathered)?;
    }
    Ok(gathered)
}

impl Gathering<'_> {
    /// Whether the session that asks still knows what happened in that one.
    fn is_known(&self, session: SessionId) -> bool {
        !self.request.trigger.is_recovery() && self.own.contains(&session)
    }

    /// Where a session works, seen from the one that asks.
    fn place(&self, session: SessionId) -> Where {
        self.places.get(&session).cloned().unwrap_or(Where::Here)
    }

    fn row(&self, row: RecentRow, place: Where) -> Row {
        Row {
            entry: row.entry,
            at: row.at,
            kind: row.kind,
            file: row.file.map(|file| self.request.shown(&file)),
            text: row.text,
            outcome: row.outcome,
            pinned: row.pinned,
            by_person: row.by_person,
            place,
            withheld: self.cooldown.on(row.entry, row.pinned),
        }
    }
}
