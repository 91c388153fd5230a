//! What happens when an event is stored: the shape of a reaction.
//!
//! All reactions are listed in one place, `receive.rs`. This module knows none of them.

use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{ProjectId, SessionId, SessionRow, Store, Writer};

use serde_json::{Map, Value};

use super::captured_event::CapturedEvent;

/// The result of storing a captured event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StoreOutcome {
    /// It was stored now.
    Stored(EntryId),
    /// It was already stored, or adds nothing new.
    Duplicate,
    /// It was already stored, and its outcome is known now.
    Settled(EntryId),
    /// There was nothing to store.
    Nothing,
}

impl StoreOutcome {
    /// The result's name on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stored(_) => "stored",
            Self::Duplicate => "duplicate",
            Self::Settled(_) => "settled",
            Self::Nothing => "nothing",
        }
    }
}

/// One reaction to a stored event.
#[derive(Copy, Clone, Debug)]
pub struct Reaction {
    /// Its name in the log.
    pub name: &'static str,
    /// When it runs, and its function.
    pub when: When,
}

/// When a reaction runs.
///
/// If a reaction inside a transaction fails, the event is not stored and waits in the spool.
/// Nothing waits for a reaction after the commit: a failure is logged, and the next event or upkeep
/// run does its work.
#[derive(Copy, Clone, Debug)]
pub enum When {
    /// In the transaction that stores an event.
    Stored(fn(&Stored<'_>) -> Result<(), Fault>),
    /// In the transaction in which the outcome of an agent's action becomes known.
    Ended(fn(&Ended<'_>) -> Result<(), Fault>),
    /// In the transaction in which it becomes certain that the user said something.
    Heard(fn(&UserSpoke<'_>) -> Result<(), Fault>),
    /// After an event is committed.
    Committed(fn(&Committed<'_>) -> Result<(), Fault>),
}

/// An event that was just written, while its transaction is still open.
pub struct Stored<'w> {
    /// The transaction.
    pub writer: &'w Writer<'w>,
    /// The event, as stored.
    pub event: &'w CapturedEvent,
    /// The session it belongs to, as it was before the event.
    pub session: &'w SessionRow,
    /// The project it happened in.
    pub project: ProjectId,
    /// When it happened.
    pub at: Timestamp,
    /// The result of storing it.
    pub outcome: StoreOutcome,
}

/// An agent's action with a known outcome.
pub struct Ended<'w> {
    /// The transaction.
    pub writer: &'w Writer<'w>,
    /// The event that reported the outcome.
    pub event: &'w CapturedEvent,
    /// The observation of the action.
    pub entry: EntryId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The project it happened in.
    pub project: ProjectId,
    /// When that happened.
    pub at: Timestamp,
    /// The kind of action.
    pub kind: ObservationKind,
    /// The command line, the path, the query.
    pub body: &'w str,
    /// How it ended. Unknown only if its output shows an error that its exit status hid.
    pub outcome: Outcome,
    /// Further details of the action.
    pub metadata: &'w Map<String, Value>,
}

/// Something the user said in an attended session. A hook alone is enough only for agents that
/// write no transcript; for the others, the transcript must contain it too.
pub struct UserSpoke<'w> {
    /// The transaction.
    pub writer: &'w Writer<'w>,
    /// The event that contained it or confirmed it.
    pub event: &'w CapturedEvent,
    /// The session it was said in.
    pub session: SessionId,
    /// When it was said.
    pub at: Timestamp,
    /// The user's words.
    pub text: &'w str,
    /// How it was said: `prompt`, or another stored name.
    pub manner: &'w str,
    /// The stored prompt.
    pub prompt: EntryId,
}

/// A committed event.
pub struct Committed<'h> {
    /// The store that contains it.
    pub store: &'h Store,
    /// The event, as received.
    pub event: &'h CapturedEvent,
    /// All reactions, needed when this one stores events itself.
    pub reactions: &'h [Reaction],
}

impl Stored<'_> {
    pub(super) fn run(&self, reactions: &[Reaction]) -> Result<(), Fault> {
        reactions.iter().try_for_each(|reaction| match reaction.when {
            When::Stored(run) => run(self),
            When::Ended(_) | When::Heard(_) | When::Committed(_) => Ok(()),
        })
    }
}

impl Ended<'_> {
    pub(super) fn run(&self, reactions: &[Reaction]) -> Result<(), Fault> {
        reactions.iter().try_for_each(|reaction| match reaction.when {
            When::Ended(run) => run(self),
            When::Stored(_) | When::Heard(_) | When::Committed(_) => Ok(()),
        })
    }
}

impl UserSpoke<'_> {
    pub(super) fn run(&self, reactions: &[Reaction]) -> Result<(), Fault> {
        reactions.iter().try_for_each(|reaction| match reaction.when {
            When::Heard(run) => run(self),
            When::Stored(_) | When::Ended(_) | When::Committed(_) => Ok(()),
        })
    }
}

impl Committed<'_> {
    /// Runs every reaction to a committed event, and returns the first failure with the reaction's
    /// name.
    pub fn run(&self) -> Result<(), (&'static str, Fault)> {
        let mut first = Ok(());
        for reaction in self.reactions {
            if let When::Committed(run) = reaction.when
                && let Err(fault) = run(self)
                && first.is_ok()
            {
                first = Err((reaction.name, fault));
            }
        }
        first
    }
}
