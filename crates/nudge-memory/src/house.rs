//! Keeping house: sessions are summed up, what is old goes, what people want gone goes for good.
//!
//! Everything here that takes long works in short transactions, because hooks write beside it.

mod census;
mod leftovers;
mod maintain;
mod mark;
mod pin;
mod projects;
pub mod purge;
mod retain;
mod retention;
mod summarise;
pub mod summary;

pub use census::{Counts, census};
pub use maintain::{Step, maintain, upkeep};
pub use mark::{CreateMarker, MarkAnswer, MarkParams};
pub use pin::{EntryRef, PinAnswer, PinObservations, PinParams, UnpinObservations};
pub use projects::{
    ListProjects, MergeAnswer, MergeParams, MergeProjects, ProjectAnswer, ProjectView, ProjectsAnswer,
    RenameParams, RenameProject,
};
pub use retention::Retention;
