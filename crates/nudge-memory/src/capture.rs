//! Capture: turns what agents do into memory, automatically.
//!
//! `nudge-harness` reads a hook's payload into one event. `read` turns that event into a
//! [`CapturedEvent`]: bounded, without private spans, with its identity and its project. The
//! captured event goes to PRIMARY over the socket, or into the store, or, if neither can accept it
//! in time, into the spool, where it is the same JSON, redacted. `store_event` writes it exactly
//! once, however often it is delivered.

pub mod captured_event;
pub mod drops;
mod extract;
pub mod hook_times;
pub mod identity;
pub mod pause;
pub mod reaction;
mod read;
#[cfg(test)]
pub(crate) mod sample;
pub mod spool;
mod store_event;
pub(crate) mod strict;
pub(crate) mod transcript_tail;
pub mod troubles;

pub use crate::projects::{ProjectClaims, ProjectRef, resolve as project};
pub use captured_event::{
    Action, AgentRef, CapturedEvent, CapturedVia, EventBody, Identity, Phase, ReadContext,
};
pub(crate) use extract::without_private;
pub use reaction::StoreOutcome;
pub use read::{read, speech};
pub(crate) use store_event::record_project;
pub use store_event::store_event;
