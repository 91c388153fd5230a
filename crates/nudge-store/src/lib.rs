//! SQLite, and the only crate that knows SQL.
//!
//! [`Store::open`] is the one door. [`Store::read`] gives a [`Reader`] over one snapshot,
//! [`Store::write`] a [`Writer`] inside one transaction; both hand out typed rows and never SQL.
//! Every write appends to the change feed in its own transaction, and nothing is stored that did
//! not pass the secret detector.

mod access;
mod backup;
pub mod bulk;
mod copies;
mod entry;
mod error;
mod feed;
mod hint;
mod intern;
mod line;
mod migrate;
mod open;
mod operation;
mod patience;
#[doc(hidden)]
pub mod plans;
mod pool;
mod reader;
mod restore;
mod screen;
mod session;
mod shelter;
mod sound;
mod stats;
mod store;
mod sweep;
mod writer;

pub use access::{Access, ReadOnlyReason};
pub use entry::{EntryDraft, Written};
pub use error::StoreError;
pub use feed::{Change, ChangeKind, FeedPage, FeedReader};
pub use hint::{ComponentCount, HintCounts, HintDraft, HintFilter, HintRow, History, Life};
pub use line::Durability;
pub use migrate::LATEST;
pub use open::{HostIdentity, Location, OpenOptions};
pub use reader::Reader;
pub use screen::SecretPolicy;
pub use session::MemorySession;
pub use stats::StoreStats;
pub use store::Store;
pub use sweep::Swept;
pub use writer::Writer;
