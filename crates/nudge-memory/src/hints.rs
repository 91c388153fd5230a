//! Hints: small facts that agents and people save for each other.
//!
//! One file per operation. [`wire`] has the types that callers send and receive, `stored` the
//! stored form of a hint, and `choice` the rules for which variant a caller gets and why.

mod applicable;
mod as_entry;
mod authority;
mod bump;
mod carry_out;
mod choice;
mod delete;
mod export;
mod get;
mod import;
mod learn;
mod lesson;
mod limits;
mod list;
mod log;
mod open;
mod query;
mod quota;
mod searchable;
mod secrets;
mod set;
mod shown;
mod stats;
mod stored;
mod undo;
pub mod wire;

pub(crate) use applicable::applicable;
pub(crate) use as_entry::{delete_variant, may_show_row, meta_of, value_with};
pub use authority::check_claim;
pub use bump::BumpHint;
pub(crate) use carry_out::carry_out;
pub use delete::DeleteHint;
pub use export::ExportHints;
pub use get::GetHint;
pub use import::ImportHints;
pub(crate) use learn::from_command as learn_from_command;
pub(crate) use lesson::{Lesson, propose as propose_lesson};
pub use list::{ListComponents, ListKeys};
pub use log::{Ended, HintLog, LogAnswer, LogParams, LogRow};
pub(crate) use open::open;
pub use query::QueryHints;
pub(crate) use searchable::searchable;
pub use set::SetHint;
pub use stats::HintStats;
pub use undo::{UndoAnswer, UndoHint, UndoParams};
