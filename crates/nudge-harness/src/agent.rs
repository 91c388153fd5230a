//! The form of an agent: everything that Nudge knows of one, in one value.

use crate::hooks::Hooks;
use crate::install::Installer;
use crate::transcript::Format;

/// One agent. Its folder under `agents` fills it in.
#[derive(Debug)]
pub(crate) struct Agent {
    /// What its hooks send and accept; its facts are in there.
    pub(crate) hooks: Hooks,
    /// What it writes down of a session.
    pub(crate) transcript: Format,
    /// How Nudge is put into its settings, where that can be done.
    pub(crate) installer: Option<Installer>,
    /// The steps by hand where it cannot; `{nudge}` stands for the program.
    pub(crate) by_hand: &'static [&'static str],
}
