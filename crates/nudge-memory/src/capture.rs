//! Capture: what agents do becomes memory, by itself.
//!
//! A hook's payload is read by `nudge-harness` into one event. `read` makes of that what is to be kept, a
//! [`Moment`]: bounded, without private spans, with its identity and its project. A moment goes to PRIMARY over the
//! socket, or into the store, or, when neither can take it in time, into the spool; it is the same JSON in all three.
//! `keep` writes it, once however often it is given.

mod compaction;
pub mod drops;
pub mod exclude;
mod extract;
mod here;
pub mod identity;
mod keep;
pub mod moment;
pub mod pause;
mod piece;
pub mod reaction;
mod read;
#[cfg(test)]
pub(crate) mod sample;
pub mod spool;
pub(crate) mod strict;
mod texts;
pub(crate) mod transcript_tail;
pub mod troubles;

pub(crate) use crate::fingerprint;
pub use crate::projects::resolve as project;
pub use crate::projects::{ProjectRef, Said};
pub(crate) use extract::without_private;
pub use here::Here;
pub(crate) use keep::arrive;
pub use keep::{Kept, keep};
pub use moment::{Action, AgentRef, By, Identity, Moment, Phase, Via, What};
pub use read::{read, said};
