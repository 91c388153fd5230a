//! One event to be taken in, and how long that may take.

use std::time::{Duration, Instant};

use nudge_core::EventKind;
use nudge_harness::Harness;
use nudge_home::Home;

/// What is kept back of the time for spooling and for ending: a spooled line takes about a millisecond, on a
/// busy machine some more.
const RESERVE: Duration = Duration::from_millis(45);

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

impl Intake {
    /// When all must be done, for an event of that kind.
    pub(super) fn until(&self, kind: Option<&EventKind>) -> Instant {
        self.began + patience().unwrap_or_else(|| kind.map_or(self.first, self.deadline)) - RESERVE
    }
}

/// Lets tests of what events leave wait for it, on a machine that is busy with other tests.
const PATIENCE: &str = "TEST_DEADLINE_SECONDS";

/// What a test says instead of the deadline. The program that people install does not ask.
fn patience() -> Option<Duration> {
    let said = cfg!(debug_assertions).then(|| std::env::var(PATIENCE).ok()).flatten()?;
    said.parse().ok().map(Duration::from_secs)
}
