//! Upkeep: what is old goes, what people want gone goes for good, and the database is looked after.
//!
//! Everything here that takes long works in short transactions, because hooks write beside it.

mod census;
mod clock;
mod database;
mod maintain;
mod orphans;
pub mod purge;
mod retain;

pub use census::{Counts, RetentionHold, census, last_seen, retention_hold};
pub use database::*;
pub use maintain::{Step, Watch, catch_up, clock_is_right, maintain, upkeep};
