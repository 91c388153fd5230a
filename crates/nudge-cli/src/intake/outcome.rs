//! The outcome of an event.

use nudge_core::EventKind;
use nudge_memory::capture::drops::DropReason;
use nudge_memory::inject::Injected;

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
