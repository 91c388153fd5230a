//! Session views for users and programs: what sessions are doing, what they are called, their
//! context sets, and what the next one should know.

mod file;
mod handoff;
mod journal;
mod timeline;
mod update;
mod view;

pub use file::{FileChangeMade, FileOfSession, SessionFile, SessionFileParams};
pub use handoff::{Handoff, HandoffAnswer, HandoffCommand, HandoffParams};
pub use journal::{
    GetJournalEntry, JournalEntry, JournalIdParams, JournalIds, JournalParams, ListJournal, MarkReflected,
    Reflected, StoreJournal, StoreJournalParams, Stored as JournalStored,
};
pub use timeline::{
    RowRef, SessionTimeline, Show, TimelineCounts, TimelineOfParams, TimelineOfSession, TimelinePrompt,
    TimelineRow,
};
pub use update::{SetContextOf, UpdateSession, UpdateSessionParams};
pub use view::{
    GetSession, ListSessionStates, SessionMeta, SessionStates, SessionView, StartSession, StartedSession,
    StatesParams,
};

use crate::operation::Operation;

/// The operations on sessions and their journal.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<Handoff>(),
    Operation::of::<GetSession>(),
    Operation::of::<TimelineOfSession>(),
    Operation::of::<FileOfSession>(),
    Operation::of::<UpdateSession>(),
    Operation::of::<ListSessionStates>(),
    Operation::of::<StoreJournal>(),
    Operation::of::<ListJournal>(),
    Operation::of::<GetJournalEntry>(),
    Operation::of::<MarkReflected>(),
    Operation::of::<StartSession>(),
];
