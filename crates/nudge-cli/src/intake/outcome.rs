//! What became of an event.

use nudge_core::EventKind;
use nudge_memory::capture::drops::DropReason;
use nudge_memory::inject::Injected;

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
pub(super) struct Done {
    pub(super) ending: Ending,
    pub(super) reply: Option<String>,
    pub(super) told: Option<Injected>,
}

impl Done {
    /// Nothing is said.
    pub(super) const fn with(ending: Ending) -> Self {
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
