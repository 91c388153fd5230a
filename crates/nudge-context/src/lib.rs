//! From what memory holds to the text that an agent sees.
//!
//! Candidates come in, typed and bounded; a [`Block`] goes out: text that fits its budget, what it holds and why, and what
//! was left out and why. Everything in it that the person did not type is quoted data inside one frame. Nothing here
//! does I/O, reads a clock or draws a random number.

mod assemble;
mod blocks;
mod budget;
mod clean;
mod found;
mod fragment;
mod frame;
mod living;
mod naming;
mod pack;
mod pick;
mod program;
mod section;
mod stated;
mod stopped;
mod trigger;

pub use assemble::{Block, Excluded, Included, LeftOut};
pub use blocks::{StartFacts, block};
pub use budget::Budget;
pub use clean::{clean, clean_text, quoted};
pub use found::{Decision, Found};
pub use fragment::{Command, Intent, Note, Row, Where};
pub use frame::Delimiter;
pub use living::{Hypothesis, Marked, Means, Typed, Why};
pub use naming::{named, path_named};
pub use pack::{Item, NotShown, Packed, Shown, Source, Spent, pack};
pub use pick::{ASIDE, worth};
pub use program::program_of;
pub use section::Section;
pub use stated::{Sort, Stated};
pub use stopped::{Changed, Said, Stopped};
pub use trigger::Trigger;
