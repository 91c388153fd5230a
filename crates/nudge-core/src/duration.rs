//! ISO 8601 durations, such as `PT2H`. The command line reads more forms and converts them to this
//! one.

mod iso;

pub use iso::{LONGEST, Why, iso};
