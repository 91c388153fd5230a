//! The way of a moment into the memory, for a process that has milliseconds: PRIMARY, else the store itself.
//!
//! Whoever calls has the spool for when neither takes it in time. Every step may be repeated, also
//! after it was done without our hearing of it: a moment is kept once.

mod primary;

use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_memory::capture::{Kept, Moment, What};
use nudge_memory::home::Home;
use nudge_memory::inject::{Injected, Wish};
use nudge_memory::{Memory, Settings};
use nudge_store::{Location, OpenOptions, Store};

use crate::{indexing, spooled};
use primary::Refused;

/// How much of its time a hook spends on what others have spooled.
const SPOOL_SHARE: Duration = Duration::from_millis(20);

/// How much time must be left for it to be worth while to look for what a session could be told.
const WORTH_WHILE: Duration = Duration::from_millis(100);

/// A moment that is in the memory, and what its taker may still do.
pub enum Delivered {
    /// The server has it, has said what the session is told, and does the rest by itself.
    ToPrimary(Option<Injected>),
    /// This process has stored it.
    ToStore(Box<Memory>, Kept),
}

/// Brings a moment into the memory before `until`. An error means that it is not known to be there.
pub fn deliver(home: &Home, moment: &Moment, wish: Option<Wish>, until: Instant) -> Result<Delivered, Fault> {
    match primary::hand_over(home, moment, wish, until) {
        Ok(told) => return Ok(Delivered::ToPrimary(told)),
        Err(Refused::Nobody) => {}
        // The memory of that server is in that process alone: the store is another one.
        Err(Refused::Final(fault)) => return Err(fault),
    }
    let memory = open(home, until)?;
    let kept = memory.keep(moment)?;
    Ok(Delivered::ToStore(Box::new(memory), kept))
}

impl Delivered {
    /// What the session of the moment is told. Whatever goes wrong, and where time is short: nothing.
    pub fn told(
        &mut self,
        moment: &Moment,
        wish: Option<Wish>,
        until: Instant,
    ) -> Result<Option<Injected>, Fault> {
        match self {
            Self::ToPrimary(told) => Ok(told.take()),
            Self::ToStore(memory, kept) => {
                let in_time = until.saturating_duration_since(Instant::now()) > WORTH_WHILE;
                tell(memory, moment, *kept, wish.filter(|_| in_time))
            }
        }
    }

    /// What is done when the moment is safe and there is time: a look at its transcript, at what others have spooled, and, when
    /// a session starts, at how far the search index is behind. All of it can as well be done by the next one.
    pub fn look_around(self, home: &Home, moment: &Moment, until: Instant) {
        let Self::ToStore(memory, _) = self else { return };
        let _ = memory.follow(moment);
        let _ = memory.settle_use(moment);
        spooled::take_in(home, &memory, until.min(Instant::now() + SPOOL_SHARE));
        if matches!(moment.what, What::Start { .. }) {
            indexing::start_if_behind(home, &memory);
        }
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

/// What the session of a kept moment is told. One that was told already is delivered a second time: its session has had its answer.
pub(crate) fn tell(
    memory: &Memory,
    moment: &Moment,
    kept: Kept,
    wish: Option<Wish>,
) -> Result<Option<Injected>, Fault> {
    match wish {
        Some(wish) if kept != Kept::Duplicate => memory.inject(moment, wish, crate::clock::now()),
        _ => Ok(None),
    }
}

/// What PRIMARY answers when it has kept a moment.
pub(crate) fn answer(kept: Kept, told: Option<Injected>) -> serde_json::Value {
    let mut answer = serde_json::json!({"kept": kept.word()});
    if let Some(told) = told {
        answer["context"] = told.context.into();
        answer["lines"] = told.lines.into();
        answer["tokens"] = told.tokens.into();
    }
    answer
}
