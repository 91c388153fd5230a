//! One event to record: its input, its time limit and its outcome.

use std::time::{Duration, Instant};

use nudge_core::{EventKind, HookEvent};
use nudge_harness::{Harness, ParseError};
use nudge_home::Home;
use nudge_memory::capture::drops::DropReason;
use nudge_memory::inject::Injected;
use rustix::buffer::spare_capacity;

/// The time reserved for spooling and exit. A spooled line takes about a millisecond, a little more
/// on a busy machine.
const SPOOL_TIME: Duration = Duration::from_millis(45);

/// One event to record.
pub(crate) struct Intake {
    /// The agent's dialect.
    pub(crate) harness: Harness,
    /// The name of the source in the memory.
    pub(crate) name: &'static str,
    /// The directory of the memory.
    pub(crate) home: Home,
    /// When the process started.
    pub(crate) began: Instant,
    /// The time limit until the kind of event is known.
    pub(crate) initial_deadline: Duration,
    /// The time limit for each kind of event.
    pub(crate) deadline: fn(&EventKind) -> Duration,
    /// Whether the agent runs without a user watching; `None` if unknown.
    pub(crate) headless: Option<bool>,
    /// Whether it is `nudge record`, which reports bad input to its caller. Then it is not logged
    /// or recorded as lost.
    pub(crate) reports_errors: bool,
}

impl Intake {
    /// Reads a payload in the caller's dialect.
    pub(super) fn parse(&self, payload: &[u8]) -> Result<HookEvent, ParseError> {
        let text = String::from_utf8_lossy(payload);
        if self.reports_errors {
            nudge_harness::parse_recorded(&text)
        } else {
            nudge_harness::parse(self.harness, &text)
        }
    }

    /// The deadline for an event of that kind.
    pub(super) fn until(&self, kind: Option<&EventKind>) -> Instant {
        self.began + test_deadline().unwrap_or_else(|| kind.map_or(self.initial_deadline, self.deadline))
            - SPOOL_TIME
    }
}

/// Debug builds only: lets tests that check stored events raise the deadline, because other tests
/// may keep the machine busy.
const TEST_DEADLINE: &str = "TEST_DEADLINE_SECONDS";

/// The deadline set by a test. Release builds do not read the variable.
fn test_deadline() -> Option<Duration> {
    let said = cfg!(debug_assertions).then(|| std::env::var(TEST_DEADLINE).ok()).flatten()?;
    said.parse().ok().map(Duration::from_secs)
}

/// The outcome of an event, for the caller.
#[derive(Debug)]
pub(crate) struct IntakeResult {
    /// The kind of event, if it was known in time.
    pub(crate) kind: Option<EventKind>,
    /// The session, if it was known in time.
    pub(crate) session: Option<String>,
    /// The answer; `None` if there is none.
    pub(crate) reply: Option<String>,
    /// The injected context, before it is put into an agent's dialect.
    pub(crate) injected: Option<Injected>,
    /// The outcome.
    pub(crate) ending: EventOutcome,
}

/// The outcome of an event, and the answer.
pub(super) struct WorkResult {
    pub(super) ending: EventOutcome,
    pub(super) reply: Option<String>,
    pub(super) injected: Option<Injected>,
}

impl WorkResult {
    /// An outcome without an answer.
    pub(super) const fn with(ending: EventOutcome) -> Self {
        Self { ending, reply: None, injected: None }
    }
}

/// The outcome of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EventOutcome {
    /// It is stored in the memory.
    Stored,
    /// It is not to be stored: paused, excluded, or empty.
    Skipped(&'static str),
    /// It is in the spool.
    Spooled {
        /// The reason, in a word.
        why: String,
    },
    /// It is lost. The drop record has it, if that could be written.
    Lost {
        /// The reason.
        reason: DropReason,
    },
    /// The input was not an event.
    Unreadable(String),
    /// The memory is damaged. The event is in the spool, or lost.
    Damaged {
        /// Why it is lost; `None` if it is in the spool.
        lost: Option<DropReason>,
    },
}

/// How many bytes to read at once: the capacity of a pipe.
const CHUNK_BYTES: usize = 64 * 1024;

/// The maximum input: far more than any tool returns, and small enough for any machine.
const MAX_INPUT: usize = 64 * 1024 * 1024;

/// Reads to the end, and passes each piece to `came`. Returns whether that was all. An input that
/// is closed or cannot be read counts as ended. If the input is longer than any event, the rest is
/// not read.
pub(super) fn read(mut came: impl FnMut(&[u8])) -> bool {
    // Not zeroed: most events are a hundredth of it, and memory that is never touched costs
    // nothing.
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    let mut left = MAX_INPUT;
    loop {
        chunk.clear();
        match rustix::io::read(rustix::stdio::stdin(), spare_capacity(&mut chunk)) {
            Ok(0) => return true,
            Ok(count) if count > left => return false,
            Ok(count) => {
                left -= count;
                came(&chunk);
            }
            Err(error) if error == rustix::io::Errno::INTR => {}
            Err(_) => return true,
        }
    }
}

/// Whether unread input has arrived.
pub(super) fn has_more() -> bool {
    rustix::io::ioctl_fionread(rustix::stdio::stdin()).is_ok_and(|count| count > 0)
}

/// Reads and discards input so that the writer can finish. An agent may treat a closed pipe as a
/// failure.
pub(crate) fn discard_until(until: Instant) {
    let (done, wait) = std::sync::mpsc::channel();
    let reader = std::thread::Builder::new().spawn(move || {
        let mut chunk = vec![0; CHUNK_BYTES];
        while rustix::io::read(rustix::stdio::stdin(), &mut chunk).is_ok_and(|count| count > 0) {}
        let _ = done.send(());
    });
    if reader.is_ok() {
        let _ = wait.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}
