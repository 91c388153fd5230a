//! Hints: small facts that agents and people save for each other.
//!
//! The operations are in files named after them. [`wire`] has the types that callers send and
//! receive, `stored` the stored form of a hint, and `choice` the rules for which variant a caller
//! gets and why.

mod applicable;
mod as_entry;
mod authority;
mod bump;
mod choice;
mod delete;
mod get;
mod import_export;
mod limits;
mod log;
mod proposed;
mod secrets;
mod set;
mod stored;
pub mod wire;

pub(crate) use applicable::{applicable, searchable};
pub(crate) use as_entry::{delete_variant, may_show_row, meta_of, value_with};
pub use authority::check_claim;
pub(crate) use authority::only_open;
pub use bump::BumpHint;
pub(crate) use bump::from_command as learn_from_command;
pub use delete::DeleteHint;
pub use get::{GetHint, HintStats, ListComponents, ListKeys, QueryHints};
pub use import_export::{ExportHints, ImportHints};
pub use log::{Ended, HintLog, LogAnswer, LogParams, LogRow, UndoAnswer, UndoHint, UndoParams};
pub(crate) use proposed::{Lesson, carry_out, propose as propose_lesson};
pub use set::SetHint;

use crate::operation::Operation;

/// The operations on hints.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<GetHint>(),
    Operation::of::<SetHint>(),
    Operation::of::<QueryHints>(),
    Operation::of::<BumpHint>(),
    Operation::of::<DeleteHint>(),
    Operation::of::<ListComponents>(),
    Operation::of::<ExportHints>(),
    Operation::of::<ImportHints>(),
    Operation::of::<ListKeys>(),
    Operation::of::<HintStats>(),
    Operation::of::<HintLog>(),
    Operation::of::<UndoHint>(),
];
