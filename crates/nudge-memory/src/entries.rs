//! The six verbs over entries: `get`, `set`, `rm`, `cp`, `mv` and `update`.
//!
//! Everything in memory is an entry, and the verbs reach all of it, by path or by pattern. Each
//! verb answers per entry with a state and a status: a write without the right is recorded as
//! failed, it does not break off the call. What the user wrote, an agent can only propose to
//! change.
//!
//! Kinds with rules of their own keep them: hints, statements and files are written through their
//! own modules.

mod change;
mod denied;
mod file_write;
mod files;
mod found_files;
mod get;
mod kinds;
mod list;
mod outcome;
mod params;
mod place;
mod proposed;
mod rm;
mod select;
mod set;
mod shown;
mod store;
mod tags;
mod targets;
mod transfer;
mod update;
mod write;

pub use found_files::FoundFile;
pub use get::{GetAnswer, GetEntries, GetParams};
pub use list::{ListEntries, ListEntriesParams};
pub use outcome::{EntryResult, VerbAnswer};
pub use rm::{RemoveEntries, RemoveParams};
pub use set::{SetEntries, SetEntryParams};
pub use shown::{EntryTokens, EntryView, LinesShown};
pub use store::{ConstraintView, ScanAnswer, ScanFiles, ScanParams, StoreAnswer, StoreFiles, StoreParams};
pub use tags::{ApplyTags, CallResult, TagsAnswer, TagsParams};
pub use transfer::{CopyEntries, MoveEntries, TransferParams};
pub use update::{UpdateParams, UpdateRun};

pub(crate) use files::read as read_file;
pub(crate) use found_files::{all as all_files, constraints_of, is_for_files, root_of};
pub(crate) use params::{pattern as read_pattern, run as run_scope};
pub(crate) use place::{no_root, viewer_of};
pub(crate) use tags::carry_out;
