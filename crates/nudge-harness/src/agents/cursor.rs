//! Cursor.

mod hooks;
mod spec;

use crate::agent::Agent;
use crate::transcript::Format;

pub(super) const AGENT: Agent =
    Agent { hooks: hooks::HOOKS, transcript: Format::NONE, installer: None, by_hand: BY_HAND };

const BY_HAND: &[&str] = &[
    "If Claude Code is installed with Nudge, Cursor loads its hooks already: leave this step out.\n\
     Otherwise, in ~/.cursor/hooks.json, add to \"hooks\" for each of the events sessionStart, beforeSubmitPrompt,\n\
     postToolUse, postToolUseFailure, preCompact, afterAgentResponse, stop and sessionEnd:\n\
     [{\"command\": \"{nudge} hook cursor\", \"timeout\": 5}]",
    "In ~/.cursor/mcp.json, add to \"mcpServers\":\n\
     \"nudge\": {\"command\": \"{nudge}\", \"args\": [\"serve\"]}",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];
