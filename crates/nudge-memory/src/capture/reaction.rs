//! What follows when an event is stored: the shape of a reaction.
//!
//! Which reactions there are stands in one list, `reactions.rs`. This module knows none of them.

use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{ProjectId, SessionId, SessionRow, Store, Writer};

use serde_json::{Map, Value};

use super::keep::Kept;
use super::moment::Moment;

/// One thing that follows.
#[derive(Copy, Clone, Debug)]
pub struct Reaction {
    /// Its name in the log.
    pub name: &'static str,
    /// When it runs, and what it does.
    pub when: When,
}

/// When a reaction runs.
///
/// One inside a transaction shares its fate: if it fails, the event is not stored and waits in the
/// spool. One after the commit is waited for by nobody: if it fails, that is logged, and the next
/// event or upkeep does its work.
#[derive(Copy, Clone, Debug)]
pub enum When {
    /// In the transaction that stores an event.
    Stored(fn(&Stored<'_>) -> Result<(), Fault>),
    /// In the transaction in which it becomes known how an action of an agent ended.
    Ended(fn(&Ended<'_>) -> Result<(), Fault>),
    /// In the transaction in which it becomes certain that the person said something.
    Heard(fn(&Heard<'_>) -> Result<(), Fault>),
    /// After the commit of an event.
    Committed(fn(&Committed<'_>) -> Result<(), Fault>),
}

/// An event that was just written, while its transaction is open.
pub struct Stored<'w> {
    /// The transaction.
    pub writer: &'w Writer<'w>,
    /// The event, as it was stored.
    pub event: &'w Moment,
    /// The session it belongs to, as it was before.
    pub session: &'w SessionRow,
    /// The project it happened in.
    pub project: ProjectId,
    /// When it happened.
    pub at: Timestamp,
    /// What became of it.
    pub kept: Kept,
}

/// An action of an agent whose outcome is known now.
pub struct Ended<'w> {
    /// The transaction.
    pub writer: &'w Writer<'w>,
    /// The event that brought the outcome.
    pub event: &'w Moment,
    /// The observation of the action.
    pub entry: EntryId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The project it happened in.
    pub project: ProjectId,
    /// When that happened.
    pub at: Timestamp,
    /// What sort of action it was.
    pub kind: ObservationKind,
    /// The command line, the path, the query.
    pub body: &'w str,
    /// How it ended. Unknown only where its output shows an error that its exit status hid.
    pub outcome: Outcome,
    /// What else is known of it.
    pub metadata: &'w Map<String, Value>,
}

/// Something that the person said, in an attended session. A hook's word is enough only for agents that write no transcript;
/// of the others the transcript has it too.
pub struct Heard<'w> {
    /// The transaction.
    pub writer: &'w Writer<'w>,
    /// The event that brought it, or that it was confirmed with.
    pub event: &'w Moment,
    /// The session it was said in.
    pub session: SessionId,
    /// When it was said.
    pub at: Timestamp,
    /// What was said.
    pub text: &'w str,
    /// How: `prompt`, or the name of a [`nudge_core::event::Manner`].
    pub manner: &'w str,
    /// The prompt that has it.
    pub prompt: EntryId,
}

/// An event that is committed.
pub struct Committed<'h> {
    /// The store that has it.
    pub store: &'h Store,
    /// The event, as it came.
    pub event: &'h Moment,
    /// All reactions, for what this one stores itself.
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

impl Heard<'_> {
    pub(super) fn run(&self, reactions: &[Reaction]) -> Result<(), Fault> {
        reactions.iter().try_for_each(|reaction| match reaction.when {
            When::Heard(run) => run(self),
            When::Stored(_) | When::Ended(_) | When::Committed(_) => Ok(()),
        })
    }
}

impl Committed<'_> {
    /// Runs every reaction to a committed event, and returns the first failure with its reaction's name.
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
