//! Claude Code.

mod hooks;
mod install;
mod transcript;

use crate::agent::Agent;

pub(super) const AGENT: Agent = Agent {
    hooks: hooks::HOOKS,
    transcript: transcript::FORMAT,
    installer: Some(install::INSTALLER),
    manual_steps: &[],
};
