//! Capture: turns what agents do into memory, automatically.
//!
//! `nudge-harness` reads a hook's payload into one event. `read` turns that event into a
//! [`CapturedEvent`]: bounded, without private spans, with its identity and its project. The
//! captured event goes to PRIMARY over the socket, or into the store, or, if neither can accept it
//! in time, into the spool. It is the same JSON in all three cases. `keep` writes it exactly once,
//! however often it is delivered.

pub mod captured_event;
mod compaction;
pub mod drops;
pub mod exclude;
mod extract;
mod here;
pub mod identity;
mod keep;
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

pub use crate::projects::resolve as project;
pub use crate::projects::{ProjectClaims, ProjectRef};
pub use captured_event::{Action, AgentRef, CapturedEvent, CapturedVia, EventBody, Identity, Phase};
pub(crate) use extract::without_private;
pub use here::ReadContext;
pub(crate) use keep::record_project;
pub use keep::{Kept, keep};
pub use read::{read, said};
