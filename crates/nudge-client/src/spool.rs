//! Stores the events that hooks could not store in time.

use std::time::Instant;

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_memory::Memory;
use nudge_memory::capture::spool;

/// Stores spooled events until then. The rest waits for the next process.
pub fn store_spooled(home: &Home, memory: &Memory, until: Instant) -> Result<(), Fault> {
    let taken = memory.import_spool(home, crate::clock::now(), Some(until)).map_err(|error| {
        Fault::new(FaultKind::Unavailable, "spool", "cannot import the spool").because(error)
    })?;
    if taken != spool::DrainReport::default() {
        tracing::info!(taken.kept, taken.dropped, taken.left, "took the spool in");
    }
    Ok(())
}
