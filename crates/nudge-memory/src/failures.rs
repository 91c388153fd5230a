//! What failed before, by what it is known, and what helped.
//!
//! A command is known by its marks ([`crate::marks`]). `record` notes how a command ended,
//! `history` decides whether that is worth a warning, `cure` looks for what helped, `lesson` proposes
//! what helped often as a hint. Everything is
//! reported as it was seen, never advised.

mod cure;
mod find;
mod history;
mod lesson;
mod record;
mod said;
mod tries;

pub(crate) use find::{Found, find, followed, was_replaced};
pub(crate) use history::{Asker, Known, after, before, keeps_failing};
pub(crate) use lesson::propose as propose_lesson;
pub(crate) use record::record;
