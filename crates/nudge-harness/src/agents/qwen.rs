//! Qwen Code.

mod hooks;
mod spec;
mod transcript;

use crate::agent::Agent;

pub(super) const AGENT: Agent =
    Agent { hooks: hooks::HOOKS, transcript: transcript::FORMAT, installer: None, by_hand: BY_HAND };

const BY_HAND: &[&str] = &[
    "In ~/.qwen/settings.json, add to \"hooks\" for each of the events SessionStart, UserPromptSubmit,\n\
     PostToolUse, PostToolUseFailure, PreCompact, PostCompact, Stop and SessionEnd:\n\
     [{\"hooks\": [{\"type\": \"command\", \"name\": \"nudge\", \"command\": \"{nudge} hook qwen\", \"timeout\": 5000}]}]",
    "In the same file, add to \"mcpServers\":\n\
     \"nudge\": {\"command\": \"{nudge}\", \"args\": [\"serve\"]}",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];
