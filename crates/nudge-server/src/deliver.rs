//! The way of a moment into the memory, for a process that has milliseconds: PRIMARY, else the store itself.
//!
//! Whoever calls has the spool for when neither takes it in time. Every step may be repeated, also
//! after it was done without our hearing of it: a moment is kept once.

mod primary;

use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};
use nudge_memory::capture::{Kept, Moment};
use nudge_memory::home::Home;
use nudge_memory::{Memory, Settings};
use nudge_store::{Location, OpenOptions, Store};

use crate::spooled;
use primary::Refused;

/// How much of its time a hook spends on what others have spooled.
const SPOOL_SHARE: Duration = Duration::from_millis(20);

/// A moment that is in the memory, and what its taker may still do.
pub enum Delivered {
    /// The server has it, and does the rest by itself.
    ToPrimary,
    /// This process has stored it.
    ToStore(Box<Memory>),
}

/// Brings a moment into the memory before `until`. An error means that it is not known to be there.
pub fn deliver(home: &Home, moment: &Moment, until: Instant) -> Result<Delivered, Fault> {
    match primary::hand_over(home, moment, until) {
        Ok(()) => return Ok(Delivered::ToPrimary),
        Err(Refused::Nobody) => {}
        // The memory of that server is in that process alone: the store is another one.
        Err(Refused::Final(fault)) => return Err(fault),
    }
    let memory = open(home, until)?;
    memory.keep(moment)?;
    Ok(Delivered::ToStore(Box::new(memory)))
}

impl Delivered {
    /// What is done when the moment is safe and there is time: a look at its transcript, and at what others have spooled. Both
    /// can as well be done by the next one.
    pub fn look_around(self, home: &Home, moment: &Moment, until: Instant) {
        let Self::ToStore(memory) = self else { return };
        let _ = memory.follow(moment);
        spooled::take_in(home, &memory, until.min(Instant::now() + SPOOL_SHARE));
    }
}

/// The store, if it can be had in time and as it is.
fn open(home: &Home, until: Instant) -> Result<Memory, Fault> {
    let store = Store::open_promptly(&OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: nudge_memory::host::identity(),
        now: crate::clock::now(),
        busy: until.saturating_duration_since(Instant::now()),
        backups: None,
    })?;
    Ok(Memory::open(store, Settings::default()))
}

/// What PRIMARY answers when it has kept a moment.
pub(crate) fn answer(kept: Kept) -> serde_json::Value {
    serde_json::json!({"kept": kept.word()})
}

fn silent() -> Fault {
    Fault::new(
        FaultKind::Unavailable,
        "ephemeral_server_silent",
        "the memory lives in a server that does not answer",
    )
    .next("see `nudge status`, or start `nudge serve` again")
}
