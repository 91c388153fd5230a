//! Cursor.

mod hooks;
mod spec;

use crate::agent::Agent;
use crate::transcript::Format;

pub(super) const AGENT: Agent = Agent { hooks: hooks::HOOKS, transcript: Format::NONE, installer: None };
