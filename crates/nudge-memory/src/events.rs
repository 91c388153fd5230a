//! Live events: the change feed as listeners hear it, one event for each row, in its order.

use nudge_core::{EntryId, Fault, Scope};
use nudge_store::{Change, ChangeKind, Reader, SessionRow, StoreError};
use serde_json::{Value, json};

use crate::caller::{Caller, Surface};
use crate::context_sets::{Sets, items_of};
use crate::memory::Memory;
use crate::projects::Walls;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveEvent {
    /// Its place in the feed; where a listener goes on after it.
    pub position: i64,
    /// Its name: `change`, `nudge.context`, `session.busy`, `session.listChanged`.
    pub name: &'static str,
    /// What is known of it.
    pub data: Value,
}

/// Some events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPage {
    /// They, in order.
    pub events: Vec<LiveEvent>,
    /// How far the feed was looked at.
    pub position: i64,
    /// How far it goes.
    pub head: i64,
}

/// What came after a position.
#[derive(Clone, Debug, PartialEq)]
pub enum EventsAfter {
    /// These.
    Page(EventPage),
    /// Some of it is no longer there; a listener takes a snapshot and goes on from the head.
    Gone {
        /// The oldest position that can be gone on from.
        oldest: i64,
        /// The newest.
        head: i64,
    },
}

/// What a listener wants to hear of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only what lies in the scope of this session.
    pub session: Option<String>,
    /// Only these schemes; none for all.
    pub schemes: Vec<String>,
}

impl Wanted {
    fn has(&self, change: &Change) -> bool {
        let session = self.session.as_deref();
        let is_there = |name: &str| change.scope == Some(Scope::Session(name.to_owned()));
        session.is_none_or(is_there) && (self.schemes.is_empty() || self.schemes.contains(&change.scheme))
    }
}

impl Memory {
    /// How far the feed goes.
    pub fn feed_head(&self) -> Result<i64, Fault> {
        self.store().read(|reader| Ok(reader.feed_head()?))
    }

    /// The events after a position, as a program with the token may hear them. What is private is passed over.
    pub fn events_after(
        &self,
        position: i64,
        wanted: &Wanted,
        caller: &Caller,
        limit: u32,
    ) -> Result<EventsAfter, Fault> {
        self.store().read(|reader| {
            let page = match reader.feed_after(position, limit) {
                Ok(page) => page,
                Err(StoreError::FeedGone { oldest }) => {
                    return Ok(EventsAfter::Gone { oldest, head: reader.feed_head()? });
                }
                Err(error) => return Err(error.into()),
            };
            let walls = Walls::around(reader, caller)?;
            let open = reader.unobserved_sessions()?.into_iter().filter(|(project, _)| !walls.hide(*project));
            let unobserved = open.map(|(_, count)| count).sum();
            let mut events = Vec::new();
            for change in page.changes.iter().filter(|change| wanted.has(change)) {
                if walls.is_empty() || !is_hidden(reader, &walls, change)? {
                    events.push(event(reader, change, unobserved)?);
                }
            }
            let last = page.changes.last().map_or(position, |change| change.position);
            Ok(EventsAfter::Page(EventPage { events, position: last, head: page.head }))
        })
    }

    /// What a listener of a session is told when it has heard all that was: its context sets, where it
    /// has any.
    pub fn loaded_context(&self, session: &str, caller: &Caller) -> Result<Option<Value>, Fault> {
        self.store().read(|reader| {
            let Some(row) = reader.agent_session_by_name(session)? else { return Ok(None) };
            if Walls::around(reader, caller)?.hide(row.project) {
                return Ok(None);
            }
            let sets = items_of(reader, &row)?;
            Ok((!sets.is_empty()).then(|| context_event("load", session, &sets, None)))
        })
    }

    /// The key of the project of a session, where that is open to programs with the token.
    pub fn place_of_session(
        &self,
        session: &str,
        now: nudge_core::Timestamp,
    ) -> Result<Option<String>, Fault> {
        self.store().read(|reader| {
            let Some(row) = reader.agent_session_by_name(session)? else { return Ok(None) };
            if Walls::around(reader, &Caller::new(Surface::Rpc, now))?.hide(row.project) {
                return Ok(None);
            }
            let project = reader.project_uncounted(row.project)?;
            Ok(project.and_then(|row| row.keys.into_iter().next()))
        })
    }
}

/// Whether a change is of a private project, or cannot be told to be of none.
fn is_hidden(reader: &Reader<'_>, walls: &Walls, change: &Change) -> Result<bool, Fault> {
    let is_removal = change.scheme == "session" && change.kind == ChangeKind::Deleted;
    let project = match &change.scope {
        Some(Scope::Project(key)) => reader.project_by_key(key)?,
        Some(Scope::Session(name)) => reader.agent_session_by_name(name)?.map(|session| session.project),
        Some(_) => return was_stated_there(reader, walls, change.entry),
        None => None,
    };
    // That a session is gone says nothing of what it was about.
    Ok(project.map_or(!is_removal, |project| walls.hide(project)))
}

/// Whether an entry that lies in no project was stated in a private one. Of one that is gone there is
/// only the number, which says nothing.
fn was_stated_there(reader: &Reader<'_>, walls: &Walls, entry: EntryId) -> Result<bool, Fault> {
    let Some(entry) = reader.entry_by_id(entry)? else { return Ok(false) };
    for key in [entry.origin.project, entry.writer.project].into_iter().flatten() {
        if reader.project_by_key(&key)?.is_some_and(|project| walls.hide(project)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn event(reader: &Reader<'_>, change: &Change, unobserved: u64) -> Result<LiveEvent, Fault> {
    let session = match &change.scope {
        Some(Scope::Session(name)) => reader.agent_session_by_name(name)?,
        _ => None,
    };
    let (name, mut data) = match (change.scheme.as_str(), &session) {
        ("context", Some(session)) => context_changed(reader, change, session)?,
        ("session", _) => session_changed(reader, change, session.as_ref(), unobserved)?,
        _ => ("change", json!({})),
    };
    data["position"] = json!(change.position);
    data["entry"] = json!(change.entry.0);
    data["scheme"] = json!(change.scheme);
    data["kind"] = json!(change.kind.name());
    data["version"] = json!(change.version);
    data["at"] = json!(change.at.to_string());
    if let Some(scope) = &change.scope {
        data["scope"] = json!({"kind": scope.kind(), "key": scope.key()});
    }
    Ok(LiveEvent { position: change.position, name, data })
}

/// The sets of a session as they are now, and the one that changed, also where it was cleared.
fn context_changed(
    reader: &Reader<'_>,
    change: &Change,
    session: &SessionRow,
) -> Result<(&'static str, Value), Fault> {
    let sets = items_of(reader, session)?;
    let set = set_name(reader, change.entry)?;
    Ok(("nudge.context", context_event("changed", &session.name, &sets, set.as_deref())))
}

fn set_name(reader: &Reader<'_>, entry: EntryId) -> Result<Option<String>, Fault> {
    Ok(reader.entry_by_id(entry)?.map(|entry| entry.path.parts().join("/")))
}

fn context_event(reason: &str, session: &str, sets: &Sets, set: Option<&str>) -> Value {
    let mut data = json!({"reason": reason, "sessionId": session, "context": sets});
    if let Some(set) = set {
        data["setName"] = json!(set);
    }
    data
}

fn session_changed(
    reader: &Reader<'_>,
    change: &Change,
    session: Option<&SessionRow>,
    unobserved: u64,
) -> Result<(&'static str, Value), Fault> {
    let id = change.scope.as_ref().map_or("", Scope::key);
    if let (ChangeKind::Resumed, Some(session)) = (change.kind, session) {
        let sets = items_of(reader, session)?;
        return Ok(("nudge.context", context_event("resume", &session.name, &sets, None)));
    }
    if change.kind == ChangeKind::Busy {
        return Ok(("session.busy", json!({"sessionId": id, "busy": true})));
    }
    let mut data = json!({"reason": change.kind.name(), "sessionId": id, "unobservedCount": unobserved});
    if matches!(change.kind, ChangeKind::Idle | ChangeKind::Ended) {
        data["busy"] = json!(false);
    }
    Ok(("session.listChanged", data))
}
