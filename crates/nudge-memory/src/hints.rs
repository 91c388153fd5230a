//! Hints: small facts that agents and people leave for each other.
//!
//! One file per operation; [`wire`] is what callers send and receive, `stored` how a hint lies
//! in the store, `choice` which variant a caller gets and why.

mod bump;
mod choice;
mod delete;
mod export;
mod get;
mod import;
pub(crate) mod learn;
mod limits;
mod list;
mod query;
mod quota;
mod secrets;
mod set;
mod stats;
mod stored;
pub mod wire;

pub use bump::BumpHint;
pub use delete::DeleteHint;
pub use export::ExportHints;
pub use get::GetHint;
pub use import::ImportHints;
pub use list::{ListComponents, ListKeys};
pub use query::QueryHints;
pub use set::SetHint;
pub use stats::HintStats;
