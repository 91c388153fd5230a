//! One event from standard input into the memory, within a deadline that counts the whole process.
//!
//! This thread reads, parses and delivers. Another one only sleeps; when the time is up it puts the moment into the spool
//! itself and ends the process, wherever this one is stuck. If the moment had just been stored, it is
//! spooled as well, which is harmless: a moment is kept once.

mod answer;
mod aside;
mod background;
mod captured;
mod outcome;
mod progress;
mod request;
pub(crate) mod stdin;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::exit::Exit;
use outcome::Done;
use progress::Progress;

pub(crate) use captured::SETTINGS;
pub(crate) use outcome::{Ending, Taken};
pub(crate) use request::Intake;

/// Enough for spooling one moment, with its JSON and the detector of secrets in an unoptimised build.
const WATCH_STACK: usize = 1024 * 1024;

/// Whether the person has switched hooks off for this process.
pub(crate) fn is_off() -> bool {
    std::env::var_os("NUDGE_OFF").is_some_and(|said| said == "1" || said == "true")
}

impl Intake {
    /// Takes the event in and finishes, in time, whatever happens. `finish` says what became of it and how to exit; it
    /// is called once, on whichever thread comes first.
    pub(crate) fn run(self, finish: impl Fn(&Taken) -> Exit + Send + Sync + 'static) -> Exit {
        // A panic says where on standard error, and what it was working on with it; both are not for there.
        std::panic::set_hook(Box::new(|_| {}));
        let progress = Progress::begin(self, finish);
        // Where no thread can be had the deadline is kept less strictly, by every step for itself.
        let _ = std::thread::Builder::new().stack_size(WATCH_STACK).spawn({
            let progress = progress.clone();
            move || progress.watch()
        });
        let done = match catch_unwind(AssertUnwindSafe(|| work::work(&progress))) {
            Ok(done) => done,
            Err(_) => Done::with(progress.give_up("panic")),
        };
        progress.finish(done)
    }
}
