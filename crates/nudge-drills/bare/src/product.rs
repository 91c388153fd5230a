//! The product, opened in this process.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nudge_core::Timestamp;
use nudge_home::Settings;
use nudge_memory::Memory;
use nudge_store::{HostIdentity, Location, OpenOptions, Store};

/// A memory on this database, which is created if it does not exist.
pub fn memory(db: &Path) -> anyhow::Result<Memory> {
    let store = Store::open(&OpenOptions {
        location: Location::File(db.to_owned()),
        read_only: false,
        host: HostIdentity::default(),
        now: now()?,
        busy: Duration::from_secs(10),
        backups: None,
    })?;
    Ok(Memory::open(store, Settings::default()))
}

/// The current time.
pub fn now() -> anyhow::Result<Timestamp> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(Timestamp::from_millis(i64::try_from(since.as_millis())?))
}
