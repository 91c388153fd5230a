//! What gatherers work with.

use std::collections::HashMap;

use nudge_context::{Row, Where};
use nudge_store::{RecentRow, SessionId, SessionRow};

use crate::inject::cooldown::{Cooldown, SILENCED};
use crate::inject::request::InjectionRequest;

/// What gatherers share: the request, and what several of them would read.
pub(super) struct Gathering<'g> {
    pub(super) request: &'g InjectionRequest<'g>,
    /// What the project is called.
    pub(super) project: String,
    /// The newest sessions of the project in which something was done.
    pub(super) sessions: Vec<SessionRow>,
    /// Those of them that are the very session that asks; the one that lost its context first.
    pub(super) own: Vec<SessionId>,
    pub(super) places: HashMap<SessionId, Where>,
    pub(super) cooldown: Cooldown,
    /// The address that the project is shared under.
    pub(super) remote: Option<String>,
}

impl Gathering<'_> {
    /// Whether the session that asks still knows what happened in that one.
    pub(super) fn is_known(&self, session: SessionId) -> bool {
        !self.request.trigger.is_recovery() && self.own.contains(&session)
    }

    /// Where a session works, seen from the one that asks.
    pub(super) fn place(&self, session: SessionId) -> Where {
        self.places.get(&session).cloned().unwrap_or(Where::Here)
    }

    /// Why a row must not be told now. What is pinned and what the newest session did always may.
    fn withheld(&self, row: &RecentRow) -> Option<&'static str> {
        let newest = self.sessions.iter().find(|session| !self.own.contains(&session.id));
        if self.cooldown.silences(row.entry) {
            return Some(SILENCED);
        }
        let is_exempt = row.pinned || newest.is_some_and(|session| session.id == row.session);
        if is_exempt { None } else { self.cooldown.on(row.entry) }
    }

    pub(super) fn row(&self, row: RecentRow, place: Where) -> Row {
        let withheld = self.withheld(&row);
        Row {
            entry: row.entry,
            at: row.at,
            kind: row.kind,
            file: row.file.map(|file| self.request.shown(&file)),
            text: row.text,
            outcome: row.outcome,
            pinned: row.pinned,
            by_person: row.by_person,
            often: None,
            place,
            withheld,
        }
    }
}
