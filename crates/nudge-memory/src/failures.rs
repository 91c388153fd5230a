//! What is known about failed commands: recorded, recognised, and reported when they fail again
//! with what helped.
//!
//! A command is recognised by its marks ([`nudge_outcomes::marks`]). `record` stores how a command
//! ended, `history` decides whether that is worth a warning, `fix` searches for what helped, and
//! `lesson` proposes what often helped as a hint. Everything is reported as it was seen, never as
//! advice.

mod find;
mod fix;
mod history;
mod lesson;
mod record;

pub(crate) use find::{Found, find, followed, was_replaced};
pub(crate) use history::{Asker, Known, after, before, has_passed_since, keeps_failing};
pub(crate) use lesson::propose as propose_lesson;
pub(crate) use record::record;
