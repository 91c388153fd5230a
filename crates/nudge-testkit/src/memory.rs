//! A look into the memory of a home, past the program under test.

use std::time::Duration;

use nudge_core::Timestamp;
use nudge_store::{HostIdentity, Location, OpenOptions, Store};

use crate::TestHome;

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
