//! The single entry point for captured events: store, reply, then react.
//!
//! PRIMARY and a hook that opens the store itself both use it. Imports and the spool bring many
//! events that nobody waits for, so they only store.

use std::io;
use std::time::Instant;

use nudge_core::{Fault, Timestamp};
use nudge_home::Home;
use nudge_store::{Durability, Writer};

use crate::capture::reaction::{Committed, Reaction, When};
use crate::capture::spool::{self, DrainReport};
use crate::capture::{self, CapturedEvent, StoreOutcome};
use crate::inject::{self, Injected, InjectionLimits};
use crate::memory::Memory;
use crate::{failures, hints, hypotheses, sessions, statements};

/// A committed event.
pub struct Received<'r> {
    memory: &'r Memory,
    event: &'r CapturedEvent,
    /// How it was stored.
    pub outcome: StoreOutcome,
}

impl Memory {
    /// Stores an event, with the reactions that belong in its transaction. From then on it survives
    /// the death of any process.
    pub fn receive<'r>(&'r self, event: &'r CapturedEvent) -> Result<Received<'r>, Fault> {
        let outcome = self.store().write(Durability::Passive, |writer| store(writer, event))?;
        Ok(Received { memory: self, event, outcome })
    }

    /// Stores many events in one transaction: all or none.
    pub fn receive_all(&self, events: &[CapturedEvent]) -> Result<Vec<StoreOutcome>, Fault> {
        self.store()
            .write(Durability::Passive, |writer| events.iter().map(|event| store(writer, event)).collect())
    }

    /// Imports the events that hooks could not store in time, until the spool is empty or the time
    /// is up.
    pub fn import_spool(
        &self,
        home: &Home,
        now: Timestamp,
        until: Option<Instant>,
    ) -> io::Result<DrainReport> {
        spool::drain_spool(home, now, until, |event| self.receive(event).map(|_| ()))
    }
}

impl Received<'_> {
    /// The event itself.
    pub const fn event(&self) -> &CapturedEvent {
        self.event
    }

    /// What the session of the event gets unasked. An event that was already stored has had its
    /// reply.
    pub fn reply(&self, limits: Option<InjectionLimits>, now: Timestamp) -> Result<Option<Injected>, Fault> {
        match limits {
            Some(limits) if self.outcome != StoreOutcome::Duplicate => {
                self.memory.inject(self.event, limits, now)
            }
            _ => Ok(None),
        }
    }

    /// Runs the reactions that nobody waits for. Returns the first failure with the name of its
    /// reaction.
    pub fn react(&self) -> Result<(), (&'static str, Fault)> {
        Committed { store: self.memory.store(), event: self.event, reactions: REACTIONS }.run()
    }
}

/// Stores an event inside the caller's transaction.
pub(crate) fn store(writer: &Writer<'_>, event: &CapturedEvent) -> Result<StoreOutcome, Fault> {
    capture::store_event(writer, event, REACTIONS)
}

// The reactions to a stored event, in the order in which they run.
//
// A feature that reacts to events adds a line here; nothing else about event handling changes.

/// All reactions.
const REACTIONS: &[Reaction] = &[
    // Must come before calls are recorded as announced, so that each is counted once.
    Reaction { name: "tools are counted", when: When::Stored(hypotheses::count_tool) },
    Reaction { name: "sessions are touched", when: When::Stored(sessions::touch) },
    Reaction { name: "outside text is noted", when: When::Stored(sessions::note_outside) },
    Reaction { name: "instructions are heard", when: When::Heard(statements::listen) },
    // Must come after: what was recognised by its wording and then quoted was said once.
    Reaction { name: "what the user typed is marked", when: When::Heard(statements::mark_heard) },
    Reaction { name: "hints learn", when: When::Ended(hints::learn_from_command) },
    Reaction { name: "failures are known again", when: When::Ended(failures::record) },
    Reaction { name: "cures are proposed", when: When::Ended(failures::propose_lesson) },
    Reaction { name: "runs are judged", when: When::Ended(hypotheses::judge) },
    Reaction { name: "transcript is read", when: When::Committed(capture::transcript_tail::catch_up) },
    Reaction { name: "sessions are summarised", when: When::Committed(sessions::summarise_at_start) },
    Reaction { name: "use is settled", when: When::Committed(inject::settle_use) },
];
