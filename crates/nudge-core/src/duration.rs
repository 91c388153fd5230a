//! Lengths of time as they are written: `PT2H` by the standard, `1h30m` as people type them.
//!
//! Every reader of a length uses these, so that numbers, units and overflow are handled once. Which
//! units and how many parts a reader takes is its own affair.

mod iso;
mod part;

pub use iso::{LONGEST, Why, iso};
pub use part::{Part, Unit};
