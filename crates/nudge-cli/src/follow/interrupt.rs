//! Ctrl-C: the first one aborts the run, the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nudge_core::{Fault, FaultKind};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// Whether the user pressed Ctrl-C.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches from now on.
    pub(super) fn watch() -> Result<Self, Fault> {
        let came = Arc::new(AtomicBool::new(false));
        // The order matters: the second signal finds the flag that the first one set.
        flag::register_conditional_default(SIGINT, Arc::clone(&came))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&came)))
            .map_err(|error| {
                Fault::new(FaultKind::Internal, "signals", format!("cannot watch for Ctrl-C: {error}"))
            })?;
        Ok(Self(came))
    }

    /// Whether it came.
    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
