//! An in-memory store, and events for it.

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_memory::capture::{CapturedEvent, EventBody};
use nudge_testkit::{EventBuilder, MemoryBench, event};

pub(crate) use nudge_testkit::event::prompt;

pub(crate) const START: i64 = 1_794_723_027_123;

/// An empty memory.
pub(crate) fn fresh() -> MemoryBench {
    MemoryBench::in_memory(Timestamp::from_millis(START))
}

/// The result of storing an event.
pub(crate) trait Keep {
    fn keep(&self, event: &CapturedEvent) -> &'static str;

    /// The same, with everything that follows.
    fn follow(&self, event: &CapturedEvent) -> &'static str;
}

impl Keep for MemoryBench {
    fn keep(&self, event: &CapturedEvent) -> &'static str {
        self.memory.receive(event).expect("stored").outcome.word()
    }

    fn follow(&self, event: &CapturedEvent) -> &'static str {
        let received = self.memory.receive(event).expect("kept");
        received.react().expect("followed");
        received.outcome.word()
    }
}

/// An event of session `s` with that identity, that many milliseconds after the start.
pub(crate) fn captured(identity: i64, after: i64, what: EventBody) -> EventBuilder {
    EventBuilder::new(what).harness("codex").repository("/src").at(START + after).number(identity)
}

pub(crate) fn action(kind: ObservationKind, body: &str, outcome: Outcome) -> EventBody {
    EventBody::Action(event::action(kind, body, outcome))
}

pub(crate) fn command(body: &str, outcome: Outcome) -> EventBody {
    EventBody::Action(event::command(body, outcome))
}
