//! Everything Nudge knows about one agent, in one value.

use crate::hooks::Hooks;
use crate::install::Installer;
use crate::transcript::Format;

/// One agent. Each module under `agents` defines one.
#[derive(Debug)]
pub(crate) struct Agent {
    /// What its hooks send and accept, including its [`HarnessSpec`](crate::HarnessSpec).
    pub(crate) hooks: Hooks,
    /// How it records a session.
    pub(crate) transcript: Format,
    /// Installs Nudge in its settings; `None` where that is not possible.
    pub(crate) installer: Option<Installer>,
    /// Manual steps for agents without an installer; `{nudge}` is the path of the program.
    pub(crate) manual_steps: &'static [&'static str],
}
