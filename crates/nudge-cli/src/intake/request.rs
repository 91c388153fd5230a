//! One event to record, and its time limit.

use std::time::{Duration, Instant};

use nudge_core::{EventKind, HookEvent};
use nudge_harness::{Harness, ParseError};
use nudge_home::Home;

/// The time reserved for spooling and exit. A spooled line takes about a millisecond, a little more
/// on a busy machine.
const RESERVE: Duration = Duration::from_millis(45);

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
            - RESERVE
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
