//! The one way in for what happened: store it, reply, then react.
//!
//! PRIMARY and a hook that opens the store itself both go this way. Imports and the spool bring many
//! events that nobody waits for, so they only store.

use std::io;
use std::time::Instant;

use nudge_core::{Fault, Timestamp};
use nudge_store::{Durability, Writer};

use crate::capture::reaction::Committed;
use crate::capture::spool::{self, Taken};
use crate::capture::{self, Kept, Moment};
use crate::inject::{Injected, InjectionLimits};
use crate::memory::Memory;
use crate::reactions::REACTIONS;
use nudge_home::Home;

/// An event that is committed.
pub struct Received<'r> {
    memory: &'r Memory,
    event: &'r Moment,
    /// What became of it.
    pub kept: Kept,
}

impl Memory {
    /// Stores an event, with the reactions that belong into its transaction. It survives the death of any process from then on.
    pub fn receive<'r>(&'r self, event: &'r Moment) -> Result<Received<'r>, Fault> {
        let kept = self.store().write(Durability::Passive, |writer| store(writer, event))?;
        Ok(Received { memory: self, event, kept })
    }

    /// Stores many events in one transaction: all of them, or none.
    pub fn receive_all(&self, events: &[Moment]) -> Result<Vec<Kept>, Fault> {
        self.store()
            .write(Durability::Passive, |writer| events.iter().map(|event| store(writer, event)).collect())
    }

    /// Takes in what hooks could not store in time, until it is all in or the time is up.
    pub fn take_in_spool(&self, home: &Home, now: Timestamp, until: Option<Instant>) -> io::Result<Taken> {
        spool::take_in(home, now, until, |event| self.receive(event).map(|_| ()))
    }
}

impl Received<'_> {
    /// The event itself.
    pub const fn event(&self) -> &Moment {
        self.event
    }

    /// What the session of the event gets unasked. An event that was known already has had its reply.
    pub fn reply(&self, limits: Option<InjectionLimits>, now: Timestamp) -> Result<Option<Injected>, Fault> {
        match limits {
            Some(limits) if self.kept != Kept::Duplicate => self.memory.inject(self.event, limits, now),
            _ => Ok(None),
        }
    }

    /// Runs the reactions that nobody waits for. Returns the first failure with the name of its reaction.
    pub fn react(&self) -> Result<(), (&'static str, Fault)> {
        Committed { store: self.memory.store(), event: self.event, reactions: REACTIONS }.run()
    }
}

/// Stores an event inside a transaction of the caller.
pub(crate) fn store(writer: &Writer<'_>, event: &Moment) -> Result<Kept, Fault> {
    capture::keep(writer, event, REACTIONS)
}
