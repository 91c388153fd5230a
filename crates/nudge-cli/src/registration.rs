//! Nudge in the settings of an agent: which files, what stands in them, and how to take it back.

mod agent;
mod config_line;
mod file;
pub(crate) mod page;
mod place;
mod record;
mod target;

pub(crate) use agent::Agent;
pub(crate) use file::{Change, SettingsFile};
pub(crate) use page::{Action, Row};
pub(crate) use place::Place;
pub(crate) use record::{Record, missing_dirs};
pub(crate) use target::Target;
