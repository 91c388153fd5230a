//! The SQLite store, and the only crate that contains SQL.
//!
//! [`Store::open`] is the only entry point. [`Store::read`] gives a [`Reader`] over one snapshot,
//! [`Store::write`] a [`Writer`] inside one transaction; both return typed rows and never SQL.
//! Every write appends to the change feed in its own transaction, and nothing is stored that did
//! not pass the secret detector.

mod db;
mod maintenance;
mod queries;
mod tables;

pub use maintenance::bulk;
pub use queries::foreign;
#[doc(hidden)]
pub use queries::plans;

pub use db::connection::Durability;
pub use db::error::{StoreError, for_agents};
pub use db::files::{FileId, FileState, Loss};
pub use db::made::is_made;
pub use db::memory_session::MemorySession;
pub use db::options::{Access, HostIdentity, Location, OpenOptions, ReadOnlyReason};
pub use db::reader::Reader;
pub use db::schema::LATEST;
pub use db::store::{Store, WalState};
pub use maintenance::batches::{Batch, DeleteMode, Held, MAX_HELD, Pace};
pub use maintenance::clock::SweepStop;
pub use maintenance::orphans::{UnusedWord, UnusedWords};
pub use maintenance::restore::is_restorable;
pub use maintenance::retention::{Aged, Swept};
pub use maintenance::texts::{HoldingColumn, PlainEntry};
pub use queries::document::{DocumentKind, DocumentRow, FoundRow};
pub use queries::in_view::InView;
pub use queries::paths::{PathHit, RestOfPaths};
pub use queries::recall::{FileTouch, RowHead, TracedObservation, Window};
pub use queries::recent::{Conclusion, LastWords, RecentPrompt, RecentRow};
pub use queries::repeats::{EditedFile, Occurrence, PathId, Reach, SessionStep};
pub use queries::selection::{Found, FoundPage, RowKind, Selection};
pub use queries::stats::{Census, LastSession, StoreStats};
pub use tables::agent_session::{Activity, SessionId, SessionRow, SessionSeen, SessionState};
pub use tables::attempt::Attempt;
pub use tables::entry::{EntryDraft, GuardedEntry, Written};
pub use tables::feed::{Change, ChangeKind, FeedPage, FeedReader};
pub use tables::hint::{ComponentCount, HintCounts, HintDraft, HintFilter, HintRow, Life};
pub use tables::hypothesis::{HypothesisFilter, HypothesisRow};
pub use tables::injection::{InjectedEntry, InjectionDraft, InjectionId, InjectionLine, InjectionRow};
pub use tables::meta::Cursor;
pub use tables::observation::{
    KnownObservation, Near, ObservationDraft, ObservationHead, ObservationRow, Subagent,
};
pub use tables::past_version::{Ending, History, PAST_VERSIONS_KEPT, PastVersion};
pub use tables::place::{Claim, SeenDirectory};
pub use tables::project::{ProjectId, ProjectRow};
pub use tables::prompt::{PromptDraft, PromptRow, TypedPrompt};
pub use tables::run::run_loop::{LoopDraft, LoopId, LoopRow};
pub use tables::run::turn::{TurnEnd, TurnId, TurnRow, TurnUsage};
pub use tables::run::{ContextRow, ModelRow, RunConfig, RunId, RunRow};
pub use tables::secret_guard::SecretPolicy;
pub use tables::statement::{Stage, StatedWords};
pub use tables::summary::Unsummarised;
pub use tables::view::{ViewChange, ViewRow};
pub use tables::writer::Writer;
