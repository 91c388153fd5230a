//! Failures seen before, how they are recognised, and what helped.
//!
//! A command is recognised by its marks ([`nudge_outcomes::marks`]). `record` stores how a command
//! ended, `history` decides whether that is worth a warning, `cure` searches for what helped, and
//! `lesson` proposes what often helped as a hint. Everything is reported as it was seen, never as
//! advice.

mod cure;
mod find;
mod history;
mod lesson;
mod record;

pub(crate) use find::{Found, find, followed, was_replaced};
pub(crate) use history::{Asker, Known, after, before, keeps_failing};
pub(crate) use lesson::propose as propose_lesson;
pub(crate) use record::record;
