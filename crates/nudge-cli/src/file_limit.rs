//! The limit on the size of files (`ulimit -f`): it makes a write fail, not the process.
//!
//! A process that writes past the limit gets SIGXFSZ, which ends it unless it has a handler. With
//! one, the write fails with EFBIG and takes the way of every other error. Processes that we start
//! do not inherit the handler.

use std::sync::atomic::{AtomicBool, Ordering};

use nudge_core::{Fault, FaultKind};
use signal_hook::consts::SIGXFSZ;

/// Whether a write has met the limit.
static REACHED: AtomicBool = AtomicBool::new(false);

/// From here on a write past the limit is an error. Without the handler all works as before, so a
/// system that refuses it is no reason to stop.
pub(crate) fn handle() {
    let _ = signal_hook::flag::register(SIGXFSZ, &REACHED);
}

/// What to say instead of a fault that the limit led to; `None` for any other.
pub(crate) fn explain(fault: &Fault) -> Option<Fault> {
    let effects = [Fault::DATABASE, Fault::DISK_FULL, Fault::FILE, Fault::OUTPUT];
    let is_effect = effects.contains(&fault.reason.as_str());
    if !is_effect || !REACHED.load(Ordering::SeqCst) {
        return None;
    }
    let message = "a file would become larger than this process may make it";
    let told = Fault::new(FaultKind::Unavailable, "file_limit", message).instead_of(fault);
    Some(told.next("raise the limit (`ulimit -f unlimited`) and try again"))
}
