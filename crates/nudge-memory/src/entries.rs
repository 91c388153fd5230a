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
mod file_write;
mod files;
mod get;
mod kinds;
mod outcome;
mod place;
mod rm;
mod select;
mod set;
mod shown;
mod store;
mod tags;
mod transfer;
mod write;

pub use files::FoundFile;
pub use get::{GetAnswer, GetEntries, GetParams, ListEntries, ListEntriesParams};
pub use outcome::{EntryResult, VerbAnswer};
pub use rm::{RemoveEntries, RemoveParams};
pub use set::{SetEntries, SetEntryParams, UpdateParams, UpdateRun};
pub use shown::{EntryTokens, EntryView, LinesShown};
pub use store::{
    ConstraintView, MANIFEST_PATH, ScanAnswer, ScanFiles, ScanParams, StoreAnswer, StoreFiles, StoreParams,
};
pub use tags::{ApplyTags, CallResult, TagsAnswer, TagsParams};
pub use transfer::{CopyEntries, MoveEntries, TransferParams};

pub use files::{all_files, constraints_of, is_for_files, read as read_file};
pub use place::{no_root, read_pattern, root_of, run_scope, viewer_of};
pub use tags::carry_out;

use crate::operation::Operation;

/// The operations on entries and files. `get` and `set` come before them.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<RemoveEntries>(),
    Operation::of::<CopyEntries>(),
    Operation::of::<MoveEntries>(),
    Operation::of::<UpdateRun>(),
    Operation::of::<ListEntries>(),
    Operation::of::<ApplyTags>(),
    Operation::of::<ScanFiles>(),
    Operation::of::<StoreFiles>(),
];
