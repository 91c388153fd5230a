//! Upkeep: removes old entries, purges what the user wants gone, and maintains the database.
//!
//! Long tasks here work in short transactions, because hooks write at the same time.

mod census;
mod clock;
mod database;
mod maintain;
mod orphans;
pub mod purge;

pub use census::{Counts, RetentionHold, census, last_seen, retention_hold};
pub use database::*;
pub use maintain::{Step, Watch, catch_up, clock_is_right, maintain, upkeep};
