//! Accesses the memory of a home without the program under test.

use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::capture::StoreOutcome;
use nudge_memory::{Memory, upkeep};
use nudge_store::{HostIdentity, Location, OpenOptions, Store};

use crate::event::EventBuilder;
use crate::home::TestHome;

/// The store of a home, for reading; `None` when there is none yet. Creates nothing.
pub fn store_of(home: &TestHome) -> Option<Store> {
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

/// The data directory of a home.
pub fn place(home: &TestHome) -> Home {
    Home::locate(Some(&home.memory()), &|_| None).expect("an absolute home")
}

/// The memory of a home, opened at the same time as other processes may have it open.
pub fn open(home: &TestHome, now: Timestamp) -> Memory {
    upkeep::open(&place(home), &Settings::default(), now).expect("a memory")
}

/// Stores events in the memory of a home and returns their ids. All must be new.
#[track_caller]
pub fn keep(home: &TestHome, now: Timestamp, events: &[EventBuilder]) -> Vec<i64> {
    let events: Vec<_> = events.iter().cloned().map(EventBuilder::build).collect();
    stored(open(home, now).receive_all(&events))
}

/// The ids of the stored events.
#[track_caller]
pub(crate) fn stored(kept: Result<Vec<StoreOutcome>, Fault>) -> Vec<i64> {
    let mut ids = Vec::new();
    for kept in kept.expect("kept") {
        match kept {
            StoreOutcome::Stored(id) => ids.push(id.0),
            other => panic!("not stored: {other:?}"),
        }
    }
    ids
}
