//! Taking in what hooks could not store in time.

use std::time::Instant;

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_memory::Memory;
use nudge_memory::capture::spool;

/// Takes the spool in until then. What is left waits for the next one.
pub fn take_in(home: &Home, memory: &Memory, until: Instant) -> Result<(), Fault> {
    let taken = memory.take_in_spool(home, crate::clock::now(), Some(until)).map_err(|error| {
        Fault::new(FaultKind::Unavailable, "spool", "the spool could not be taken in").because(error)
    })?;
    if taken != spool::Taken::default() {
        tracing::info!(taken.kept, taken.dropped, taken.left, "took the spool in");
    }
    Ok(())
}
