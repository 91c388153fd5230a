//! Live events: the change feed as listeners get it, one event for each row, in feed order.

use nudge_core::{EntryId, Fault, Scope};
use nudge_store::{Change, ChangeKind, Reader, SessionRow, StoreError};
use serde_json::{Value, json};

use crate::caller::{Caller, Surface};
use crate::context_sets::{Sets, items_of};
use crate::memory::Memory;
use crate::projects::HiddenProjects;
use crate::sessions::call_session;

/// One live event.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveEvent {
    /// Its position in the feed. A listener resumes after it.
    pub position: i64,
    /// Its name: `change`, `nudge.context`, `session.busy` or `session.listChanged`.
    pub name: &'static str,
    /// The event's data.
    pub data: Value,
}

/// A page of events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPage {
    /// The events, in feed order.
    pub events: Vec<LiveEvent>,
    /// The position up to which the feed was read.
    pub position: i64,
    /// The newest position in the feed.
    pub head: i64,
}

/// The result of reading the feed after a position.
#[derive(Clone, Debug, PartialEq)]
pub enum EventsAfter {
    /// The events after it.
    Page(EventPage),
    /// Part of the feed is gone. The listener takes a snapshot and resumes from the head.
    Gone {
        /// The oldest position from which a listener can resume.
        oldest: i64,
        /// The newest position.
        head: i64,
    },
}

/// The events that a listener wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only events in the scope of this session.
    pub session: Option<String>,
    /// Only these schemes; empty for all.
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
    /// The newest position in the feed.
    pub fn feed_head(&self) -> Result<i64, Fault> {
        self.store().read(|reader| Ok(reader.feed_head()?))
    }

    /// The events after a position that a program with the token may see. Skips private ones.
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
            let hidden = HiddenProjects::for_caller(reader, caller)?;
            let open =
                reader.unobserved_sessions()?.into_iter().filter(|(project, _)| !hidden.hide(*project));
            let unobserved = open.map(|(_, count)| count).sum();
            let mut events = Vec::new();
            for change in page.changes.iter().filter(|change| wanted.has(change)) {
                if hidden.is_empty() || !is_hidden(reader, &hidden, change)? {
                    events.push(event(reader, change, unobserved)?);
                }
            }
            let last = page.changes.last().map_or(position, |change| change.position);
            Ok(EventsAfter::Page(EventPage { events, position: last, head: page.head }))
        })
    }

    /// The context sets of a session, for a listener that has caught up with the feed. `None` if
    /// the session has none.
    pub fn loaded_context(&self, session: &str, caller: &Caller) -> Result<Option<Value>, Fault> {
        self.store().read(|reader| {
            let Some(row) = reader.agent_session_by_name(session)? else { return Ok(None) };
            if HiddenProjects::for_caller(reader, caller)?.hide(row.project) {
                return Ok(None);
            }
            let sets = items_of(reader, &row)?;
            Ok((!sets.is_empty()).then(|| context_event("load", session, &sets, None)))
        })
    }

    /// The key of a session's project, if that project is open to programs with the token.
    pub fn place_of_session(
        &self,
        session: &str,
        now: nudge_core::Timestamp,
    ) -> Result<Option<String>, Fault> {
        self.store().read(|reader| {
            let Some(row) = reader.agent_session_by_name(session)? else { return Ok(None) };
            let hidden = HiddenProjects::for_caller(reader, &Caller::new(Surface::Rpc, now))?;
            call_session::project_key(reader, &hidden, &row)
        })
    }
}

/// Whether a change belongs to a private project, or cannot be shown to belong to none.
fn is_hidden(reader: &Reader<'_>, hidden: &HiddenProjects, change: &Change) -> Result<bool, Fault> {
    let is_removal = change.scheme == "session" && change.kind == ChangeKind::Deleted;
    let project = match &change.scope {
        Some(Scope::Project(key)) => reader.project_by_key(key)?,
        Some(Scope::Session(name)) => reader.agent_session_by_name(name)?.map(|session| session.project),
        // The key of a run names its project, also when the run is gone.
        Some(Scope::Run(key)) => match key.rsplit_once('#') {
            Some((project, _)) => reader.project_by_key(project)?,
            None => None,
        },
        Some(_) => return was_stated_there(reader, hidden, change.entry),
        None => None,
    };
    // The removal of a session reveals nothing about its content.
    Ok(project.map_or(!is_removal, |project| hidden.hide(project)))
}

/// Whether an entry that belongs to no project was stated in a private one. Of a deleted entry only
/// the number is left, and that reveals nothing.
fn was_stated_there(reader: &Reader<'_>, hidden: &HiddenProjects, entry: EntryId) -> Result<bool, Fault> {
    let Some(entry) = reader.entry_by_id(entry)? else { return Ok(false) };
    for key in [entry.origin.project, entry.writer.project].into_iter().flatten() {
        if reader.project_by_key(&key)?.is_some_and(|project| hidden.hide(project)) {
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

/// The context sets of a session as they are now, and the set that changed, even if it was cleared.
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
