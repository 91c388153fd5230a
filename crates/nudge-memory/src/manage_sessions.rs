//! Session views for users and programs: what sessions are doing, what they are called, their
//! context sets, and what the next one should know.

mod handoff;
mod journal;
mod update;
mod view;

pub use handoff::{Handoff, HandoffAnswer, HandoffCommand, HandoffParams};
pub use journal::{
    GetJournalEntry, JournalEntry, JournalIdParams, JournalIds, JournalParams, ListJournal, MarkReflected,
    Reflected, StoreJournal, StoreJournalParams, Stored as JournalStored,
};
pub use update::{SetContextOf, UpdateSession, UpdateSessionParams};
pub use view::{
    GetSession, ListSessionStates, SessionMeta, SessionStates, SessionView, StartSession, StartedSession,
    StatesParams,
};
