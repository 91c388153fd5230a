//! The file size limit (`ulimit -f`): makes a write fail instead of the process.
//!
//! A process that writes past the limit gets SIGXFSZ, which ends it unless it has a handler. With a
//! handler, the write fails with EFBIG and is handled like every other error. Processes that we
//! start do not inherit the handler.

use std::sync::atomic::{AtomicBool, Ordering};

use nudge_core::{Fault, FaultKind};
use signal_hook::consts::SIGXFSZ;

/// Whether a write has reached the limit.
static LIMIT_REACHED: AtomicBool = AtomicBool::new(false);

/// Installs the handler: from here on, a write past the limit is an error. If the system refuses
/// the handler, everything works as before, so that is not a failure.
pub(crate) fn handle() {
    let _ = signal_hook::flag::register(SIGXFSZ, &LIMIT_REACHED);
}

/// The fault to report instead of one that the limit caused; `None` for any other fault.
pub(crate) fn explain(fault: &Fault) -> Option<Fault> {
    let effects = [Fault::DATABASE, Fault::DISK_FULL, Fault::FILE, Fault::OUTPUT];
    let is_effect = effects.contains(&fault.reason.as_str());
    if !is_effect || !LIMIT_REACHED.load(Ordering::SeqCst) {
        return None;
    }
    let message = "a file would exceed the file size limit of this process";
    let reported = Fault::new(FaultKind::Unavailable, "file_limit", message).with_source_of(fault);
    Some(reported.next("raise the limit (`ulimit -f unlimited`) and try again"))
}
