//! One event from standard input into the memory, within a deadline that counts the whole process.
//!
//! This thread reads, parses and delivers. Another one only sleeps; when the time is up it puts the moment into the spool
//! itself and ends the process, wherever this one is stuck. If the moment had just been stored, it is
//! spooled as well, which is harmless: a moment is kept once.

mod aside;
mod progress;
pub(crate) mod stdin;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nudge_core::EventKind;
use nudge_harness::Harness;
use nudge_home::Home;
use nudge_memory::capture::drops::{self, DropReason};
use nudge_memory::inject::Injected;

use crate::exit::Exit;
use progress::Progress;

/// What is kept back of the time for spooling and for ending: a spooled line takes about a millisecond, on a
/// busy machine some more.
const RESERVE: Duration = Duration::from_millis(45);

/// How much earlier the store is no longer waited for, so that there is time to spool before the watch does.
const HEAD_START: Duration = Duration::from_millis(15);

/// Enough for spooling one moment, with its JSON and the detector of secrets in an unoptimised build.
const WATCH_STACK: usize = 1024 * 1024;

/// Why nothing is captured while the settings cannot be read: who knows what they keep out.
pub(crate) const SETTINGS: &str = "settings";

/// One event to be taken in.
pub(crate) struct Intake {
    /// Whose dialect it is in.
    pub(crate) harness: Harness,
    /// What the source is called in the memory.
    pub(crate) name: &'static str,
    /// Where the memory lies.
    pub(crate) home: Home,
    /// When the process began.
    pub(crate) began: Instant,
    /// How long it may take while it is not known what the event is.
    pub(crate) first: Duration,
    /// How long it may take for each kind of event.
    pub(crate) deadline: fn(&EventKind) -> Duration,
    /// Whether no person watches the agent.
    pub(crate) headless: Option<bool>,
    /// Whether the caller is told when what it sent is no event. Then nothing of it is noted elsewhere.
    pub(crate) tells: bool,
}

/// What was taken in.
#[derive(Debug)]
pub(crate) struct Taken {
    /// What happened, if that was found out in time.
    pub(crate) kind: Option<EventKind>,
    /// The session, if that was found out in time.
    pub(crate) session: Option<String>,
    /// What to answer; `None` for nothing.
    pub(crate) reply: Option<String>,
    /// What the session is told, before it is put into anybody's dialect.
    pub(crate) told: Option<Injected>,
    /// What became of it.
    pub(crate) ending: Ending,
}

/// What was done about an event, and what is said in answer.
struct Done {
    ending: Ending,
    reply: Option<String>,
    told: Option<Injected>,
}

impl Done {
    /// Nothing is said.
    const fn with(ending: Ending) -> Self {
        Self { ending, reply: None, told: None }
    }
}

/// What became of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is in the memory.
    Kept,
    /// It is not to be kept: paused, excluded, or nothing in it.
    Passed(&'static str),
    /// It waits in the spool.
    SetAside {
        /// Why, in a word.
        why: String,
    },
    /// It is lost, and noted in the drop record where that could be written.
    Lost {
        /// Why.
        reason: DropReason,
    },
    /// It was no event.
    Unreadable(String),
    /// The memory is damaged; the event waits in the spool, or is lost.
    Damaged {
        /// Why it is lost, if it is.
        lost: Option<DropReason>,
    },
}

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

    /// When all must be done, for an event of that kind.
    fn until(&self, kind: Option<&EventKind>) -> Instant {
        self.began + kind.map_or(self.first, self.deadline) - RESERVE
    }
}

/// The hash by which a payload is known in the drop record.
fn hash(payload: &[u8]) -> [u8; 16] {
    drops::hash_of(payload.trim_ascii())
}
