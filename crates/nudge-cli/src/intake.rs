//! Records one event from standard input in the memory, within a deadline for the whole process.
//!
//! This thread reads, parses and delivers. Another thread only sleeps. When the time is up, it
//! spools the event itself and ends the process, wherever this thread is stuck. If the event was
//! just stored, it is also spooled. That is harmless, because an event is stored only once.

mod captured;
mod progress;
mod request;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};

use progress::Progress;
use request::WorkResult;

use crate::exit::Exit;

pub(crate) use captured::SETTINGS_REASON;
pub(crate) use progress::DEADLINE_PASSED;
pub(crate) use request::{EventOutcome, Intake, IntakeResult, discard_until};

/// Enough to spool one event, with its JSON and the secret detector in an unoptimised build.
const WATCH_STACK: usize = 1024 * 1024;

/// Whether the user has switched hooks off for this process.
pub(crate) fn is_off() -> bool {
    std::env::var_os("NUDGE_OFF").is_some_and(|said| said == "1" || said == "true")
}

impl Intake {
    /// Records the event and finishes in time, whatever happens. `finish` reports the outcome and
    /// chooses the exit code. It is called once, on the thread that finishes first.
    pub(crate) fn run(self, finish: impl Fn(&IntakeResult) -> Exit + Send + Sync + 'static) -> Exit {
        // A panic message on standard error would show the location and the data at work. Neither
        // belongs there.
        std::panic::set_hook(Box::new(|_| {}));
        let progress = Progress::begin(self, finish);
        // If no thread can be started, the deadline is less strict: each step keeps its own limit.
        let _ = std::thread::Builder::new().stack_size(WATCH_STACK).spawn({
            let progress = progress.clone();
            move || progress.watch()
        });
        let done = match catch_unwind(AssertUnwindSafe(|| work::work(&progress))) {
            Ok(done) => done,
            Err(_) => WorkResult::with(progress.save_undelivered("panic")),
        };
        progress.finish(done)
    }
}
