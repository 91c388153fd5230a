//! The state that gatherers share, and what they gathered.

use std::collections::{HashMap, HashSet};

use nudge_context::{Block, BlockFacts, Budget, Delimiter, RelativePlace, Row, Trigger, block};
use nudge_core::Timestamp;
use nudge_store::{RecentRow, SessionId, SessionRow};

use crate::inject::cooldown::{Cooldown, SILENCED};
use crate::inject::request::InjectionRequest;

/// What gatherers share: the request, and data that several of them need.
pub(super) struct Gathering<'g> {
    pub(super) request: &'g InjectionRequest<'g>,
    /// The project's name.
    pub(super) project: String,
    /// The project's newest sessions with any activity.
    pub(super) sessions: Vec<SessionRow>,
    /// Those of them that belong to the asking session itself; the one that lost its context comes
    /// first.
    pub(super) own: Vec<SessionId>,
    pub(super) places: HashMap<SessionId, RelativePlace>,
    pub(super) cooldown: Cooldown,
    /// The address that the project is shared under.
    pub(super) remote: Option<String>,
}

impl Gathering<'_> {
    /// Whether the asking session still remembers what happened in this one.
    pub(super) fn is_known(&self, session: SessionId) -> bool {
        !self.request.trigger.is_recovery() && self.own.contains(&session)
    }

    /// Where a session works, relative to the asking one.
    pub(super) fn place(&self, session: SessionId) -> RelativePlace {
        self.places.get(&session).cloned().unwrap_or(RelativePlace::Here)
    }

    /// Why a row must not be injected now; `None` if it may be. Unless silenced, pinned rows and
    /// rows of the newest session always may.
    fn withheld(&self, row: &RecentRow) -> Option<&'static str> {
        let newest = self.sessions.iter().find(|session| !self.own.contains(&session.id));
        if self.cooldown.is_silenced(row.entry) {
            return Some(SILENCED);
        }
        let is_exempt = row.pinned || newest.is_some_and(|session| session.id == row.session);
        if is_exempt { None } else { self.cooldown.reason_to_withhold(row.entry) }
    }

    pub(super) fn row(&self, row: RecentRow, place: RelativePlace) -> Row {
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

// The facts gathered for a recipient, and the block made from them.

/// Everything that may be injected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::inject) struct Gathered {
    pub(in crate::inject) facts: BlockFacts,
    /// The sessions already shown with where they stopped.
    pub(in crate::inject) stopped: HashSet<SessionId>,
    /// Whether a run has decided a hypothesis. Its agent must know that, however much was injected
    /// lately.
    pub(in crate::inject) is_decided: bool,
}

impl Gathered {
    /// The block; `None` if there is nothing to inject.
    pub(in crate::inject) fn block(
        self,
        trigger: Trigger,
        budget: Budget,
        delimiter: &Delimiter,
        now: Timestamp,
    ) -> Option<Block> {
        block(self.facts, trigger, budget, delimiter, now)
    }
}
