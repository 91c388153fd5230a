//! SQLite, and the only crate that knows SQL.
//!
//! [`Store::open`] is the one door. [`Store::read`] gives a [`Reader`] over one snapshot,
//! [`Store::write`] a [`Writer`] inside one transaction; both hand out typed rows and never SQL.
//! Every write appends to the change feed in its own transaction, and nothing is stored that did
//! not pass the secret detector.

mod access;
mod agent_session;
mod backup;
pub mod bulk;
mod census;
mod clock;
mod copies;
mod cursor;
mod document;
mod entry;
mod error;
mod feed;
pub mod foreign;
mod hint;
mod injection;
mod intern;
mod keyed;
mod leftovers;
mod line;
mod log;
mod made;
mod migrate;
mod observation;
mod open;
mod operation;
mod past_version;
mod patience;
mod place;
#[doc(hidden)]
pub mod plans;
mod pool;
mod portions;
mod project;
mod prompt;
mod reader;
mod recall;
mod recent;
mod repeats;
mod restore;
mod retention;
mod revise;
mod screen;
mod seen;
mod selection;
mod session;
mod shelter;
mod sound;
mod stats;
mod store;
mod summary;
mod sweep;
mod tally;
mod writer;

pub use access::{Access, ReadOnlyReason};
pub use agent_session::{SessionId, SessionRow, SessionSeen};
pub use census::{Census, LastSession};
pub use clock::SweepStop;
pub use cursor::Cursor;
pub use document::{DocumentRow, DocumentSort, FoundRow};
pub use entry::{EntryDraft, ScreenedEntry, Written};
pub use error::{StoreError, told_to_agents};
pub use feed::{Change, ChangeKind, FeedPage, FeedReader};
pub use hint::{ComponentCount, HintCounts, HintDraft, HintFilter, HintRow, History, Life};
pub use injection::{InjectionDraft, InjectionId, InjectionLine, InjectionRow, Told};
pub use leftovers::{UnusedWord, UnusedWords};
pub use line::Durability;
pub use log::LogState;
pub use made::{Loss, is_made};
pub use migrate::LATEST;
pub use observation::{KnownObservation, Near, ObservationDraft, ObservationRow, Subagent};
pub use open::{HostIdentity, Location, OpenOptions};
pub use past_version::{Ending, PAST_VERSIONS_KEPT, PastVersion};
pub use place::{Arrival, Claim};
pub use portions::{Care, HELD_AT_MOST, Held, Pace, Portion};
pub use project::{ProjectId, ProjectRow};
pub use prompt::{PromptDraft, PromptRow, Voice};
pub use reader::Reader;
pub use recall::{FileTouch, Glimpse, TracedObservation, Window};
pub use recent::{RecentPrompt, RecentRow};
pub use repeats::{Occurrence, Reach, SessionStep};
pub use restore::is_restorable;
pub use retention::Aged;
pub use screen::SecretPolicy;
pub use selection::{Found, FoundPage, Selection, Sort};
pub use session::MemorySession;
pub use stats::StoreStats;
pub use store::Store;
pub use summary::Unsummarised;
pub use sweep::Swept;
pub use writer::Writer;
