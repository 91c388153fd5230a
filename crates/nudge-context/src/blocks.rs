//! The blocks that an agent can get: which sections each has, in which order, and how much of each.

mod recovery;
mod start;

pub use start::{StartFacts, start};
