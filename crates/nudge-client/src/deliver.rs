//! The way of a moment into the memory, for a process that has milliseconds: PRIMARY, else the store itself.
//!
//! Whoever calls has the spool for when neither takes it in time. Every step may be repeated, also
//! after it was done without our hearing of it: a moment is kept once.

mod primary;

use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::capture::{Kept, Moment, What};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Memory, Received};
use nudge_store::{Location, OpenOptions, Store};

use crate::{indexing, spool};
use primary::Refused;

/// How much of its time a hook spends on what others have spooled.
const SPOOL_SHARE: Duration = Duration::from_millis(20);

/// How much time must be left for a reply to be worth looking for. What is known of a command takes a few lookups.
const WORTH_WHILE: Duration = Duration::from_millis(100);
const WORTH_WHILE_OF_COMMAND: Duration = Duration::from_millis(20);

/// What came of an event that is in the memory.
pub struct Delivered {
    /// What its session gets.
    pub reply: Option<Injected>,
    /// Why no reply could be made. The event is safe all the same.
    pub unanswered: Option<Fault>,
}

/// Brings an event into the memory before `until`; `stored` is called as soon as it is there, and `replied` as soon as there is a
/// reply, which the ledger has by then. An error means that it is not known to be there.
pub fn deliver(
    home: &Home,
    event: &Moment,
    limits: Option<InjectionLimits>,
    until: Instant,
    stored: impl FnOnce(),
    replied: impl FnOnce(&Injected),
) -> Result<Delivered, Fault> {
    match primary::hand_over(home, event, limits, until) {
        Ok(reply) => {
            stored();
            return Ok(Delivered { reply, unanswered: None });
        }
        Err(Refused::Nobody) => {}
        // The memory of that server is in that process alone: the store is another one.
        Err(Refused::Final(fault)) => return Err(fault),
    }
    let memory = open(home, until)?;
    let received = memory.receive(event)?;
    stored();
    let delivered = reply(&received, limits, until);
    if let Some(reply) = &delivered.reply {
        replied(reply);
    }
    look_around(home, &memory, &received, until);
    Ok(delivered)
}

/// The reply, where there is time for one.
fn reply(received: &Received<'_>, limits: Option<InjectionLimits>, until: Instant) -> Delivered {
    let least = match received.event().what {
        What::About { .. } | What::Action(_) => WORTH_WHILE_OF_COMMAND,
        _ => WORTH_WHILE,
    };
    let in_time = until.saturating_duration_since(Instant::now()) > least;
    match received.reply(limits.filter(|_| in_time), crate::clock::now()) {
        Ok(reply) => Delivered { reply, unanswered: None },
        Err(fault) => Delivered { reply: None, unanswered: Some(fault) },
    }
}

/// What is done when the event is safe and there is time: the reactions to it, a look at what others have spooled, and, when
/// a session starts, at how far the search index is behind. All of it can as well be done by the next one.
fn look_around(home: &Home, memory: &Memory, received: &Received<'_>, until: Instant) {
    let _ = received.react();
    let _ = spool::take_in(home, memory, until.min(Instant::now() + SPOOL_SHARE));
    if matches!(received.event().what, What::Start { .. }) {
        indexing::start_if_behind(home, memory);
    }
}

/// The store, if it can be had in time and as it is.
fn open(home: &Home, until: Instant) -> Result<Memory, Fault> {
    let store = Store::open_promptly(&OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: nudge_home::host::identity(),
        now: crate::clock::now(),
        busy: until.saturating_duration_since(Instant::now()),
        backups: None,
    })?;
    Ok(Memory::open(store, Settings::default()))
}

/// What PRIMARY answers when it has kept a moment.
pub fn answer(kept: Kept, told: Option<Injected>) -> serde_json::Value {
    let mut answer = serde_json::json!({"kept": kept.word()});
    if let Some(told) = told {
        answer["context"] = told.context.into();
        answer["lines"] = told.lines.into();
        answer["tokens"] = told.tokens.into();
    }
    answer
}
