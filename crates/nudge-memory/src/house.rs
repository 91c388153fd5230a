//! Keeping house: sessions are summed up, what is old goes, what people want gone goes for good.
//!
//! Everything here that takes long works in short transactions, because hooks write beside it.

mod catch_up;
mod census;
mod clock;
mod leftovers;
mod maintain;
mod mark;
mod pin;
pub mod purge;
mod retain;
mod summarise;
pub mod summary;

pub(crate) use catch_up::at_start as summarise_at_start;
pub use census::{Counts, RetentionHold, census, retention_hold};
pub use maintain::{Step, Watch, catch_up, clock_is_right, maintain, upkeep};
pub use mark::{CreateMarker, MarkAnswer, MarkParams};
pub use pin::{EntryRef, PinAnswer, PinObservations, PinParams, UnpinObservations};
pub(crate) use summarise::over_before;
