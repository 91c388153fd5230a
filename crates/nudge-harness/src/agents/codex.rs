//! Codex.

mod hooks;
mod install;
mod spec;
mod transcript;
mod trust;

pub use trust::hash;

use crate::agent::Agent;

pub(super) const AGENT: Agent = Agent {
    hooks: hooks::HOOKS,
    transcript: transcript::FORMAT,
    installer: Some(install::INSTALLER),
    by_hand: &[],
};
