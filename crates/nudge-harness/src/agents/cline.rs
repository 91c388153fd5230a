//! Cline CLI.

mod hooks;
mod spec;

use crate::agent::Agent;
use crate::transcript::Format;

pub(super) const AGENT: Agent =
    Agent { hooks: hooks::HOOKS, transcript: Format::NONE, installer: None, by_hand: BY_HAND };

const BY_HAND: &[&str] = &[
    "For each of the events TaskStart, TaskResume, UserPromptSubmit, PostToolUse, TaskComplete and TaskCancel,\n\
     make an executable file of that name in ~/.cline/hooks:\n\
     #!/bin/sh\n\
     exec {nudge} hook cline",
    "Register the MCP server: cline mcp add nudge --yes -- {nudge} serve",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];
