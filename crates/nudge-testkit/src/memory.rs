//! The memory of a home, past the program under test.

use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::capture::Kept;
use nudge_memory::{Memory, upkeep};
use nudge_store::{HostIdentity, Location, OpenOptions, Store};

use crate::event::EventBuilder;
use crate::home::TestHome;

/// The store of a home, to be read; `None` when there is none yet. Nothing is made.
pub fn look(home: &TestHome) -> Option<Store> {
    let database = home.memory().join("nudge.db");
    database.exists().then(|| {
        Store::open(&OpenOptions {
            location: Location::File(database),
            read_only: true,
            host: HostIdentity::default(),
            now: Timestamp::from_millis(0),
            busy: Duration::from_secs(10),
            backups: None,
        })
        .expect("the memory of a test opens")
    })
}

/// Where the memory of a home lies.
pub fn place(home: &TestHome) -> Home {
    Home::locate(Some(&home.memory()), &|_| None).expect("an absolute home")
}

/// The memory of a home, opened beside whatever else has it open.
pub fn open(home: &TestHome, now: Timestamp) -> Memory {
    upkeep::open(&place(home), &Settings::default(), now).expect("a memory")
}

/// Keeps events in the memory of a home, all of which must be new ones, and gives their ids.
#[track_caller]
pub fn keep(home: &TestHome, now: Timestamp, events: &[EventBuilder]) -> Vec<i64> {
    let events: Vec<_> = events.iter().cloned().map(EventBuilder::build).collect();
    stored(open(home, now).receive_all(&events))
}

/// The ids of what was kept.
#[track_caller]
pub(crate) fn stored(kept: Result<Vec<Kept>, Fault>) -> Vec<i64> {
    let mut ids = Vec::new();
    for kept in kept.expect("kept") {
        match kept {
            Kept::Stored(id) => ids.push(id.0),
            other => panic!("not stored: {other:?}"),
        }
    }
    ids
}
