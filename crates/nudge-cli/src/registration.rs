//! Registers Nudge in the settings of agents: which files, which entries, and how to remove them.

mod agent;
pub(crate) mod apply;
mod before;
mod config_line;
mod detect;
mod diff;
mod file;
mod ledger;
pub(crate) mod page;
mod place;
mod plan;
pub(crate) mod safe_program;
mod target;

pub(crate) use agent::Agent;
pub(crate) use detect::Detected;
pub(crate) use file::{SettingsFile, real, small_text};
pub(crate) use ledger::{Ledger, Written};
pub(crate) use place::InstallContext;
pub(crate) use plan::Plan;
pub(crate) use target::Target;
