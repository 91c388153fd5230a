//! An agent as far as all four can be driven alike: a session of one prompt, from a script.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use super::agent::Desk;
use super::claude::Claude;
use super::codex::Codex;
use super::ended::ended;
use super::model::LAST;
use crate::repository;

/// The model that no agent knows anything about, so that all tools are offered to it.
pub(super) const MODEL: &str = "scripted-model";

/// An agent that runs one prompt to its end.
pub(super) trait OneShot {
    /// What it is called here and in the memory.
    fn name(&self) -> &'static str;

    /// What the person has set up before Nudge: the model's address, and approvals.
    fn settle(&self, desk: &Desk) -> anyhow::Result<()>;

    /// What its model has to call to run a command line.
    fn command_line(&self, line: &str) -> Value;

    /// What its model has to call to use a tool of Nudge.
    fn tool(&self, name: &str, args: &Value) -> Value;

    /// The command that runs a prompt, and prints what happens.
    fn prompted(&self, desk: &Desk, prompt: &str) -> Command;

    /// Whether the MCP server can be registered over HTTP.
    fn takes_http(&self) -> bool {
        true
    }
}

/// A session that ended.
pub(super) struct Ran {
    pub(super) output: Output,
}

impl Ran {
    /// Everything that it printed.
    pub(super) fn said(&self) -> String {
        let out = String::from_utf8_lossy(&self.output.stdout);
        format!("{out}\n{}", String::from_utf8_lossy(&self.output.stderr))
    }

    /// Whether the model came to the end of its script.
    pub(super) fn is_done(&self) -> bool {
        self.output.status.success() && self.said().contains(LAST)
    }

    /// The lines that tell of a hook that went wrong.
    pub(super) fn hook_errors(&self) -> Vec<String> {
        self.said()
            .lines()
            .filter(|line| is_hook_error(line))
            .map(|line| line.chars().take(400).collect())
            .collect()
    }
}

/// What agents say where a hook went wrong.
const BAD: [&str; 7] = ["fail", "error", "denied", "not found", "no usable answer", "timed out", "cancelled"];

fn is_hook_error(line: &str) -> bool {
    if let Ok(event) = serde_json::from_str::<Value>(line)
        && event["subtype"] == "hook_response"
    {
        return event["exit_code"].as_i64().is_some_and(|code| code != 0)
            || event["stderr"].as_str().is_some_and(|said| !said.is_empty());
    }
    let line = line.to_lowercase();
    // The warning about a flag of the test, and the prompt itself.
    let is_ours = line.contains("bypass-hook-trust") || line.contains("<<script");
    line.contains("hook") && !is_ours && BAD.iter().any(|word| line.contains(word))
}

/// Runs a prompt.
pub(super) fn run(agent: &dyn OneShot, desk: &Desk, prompt: &str) -> anyhow::Result<Ran> {
    Ok(Ran { output: ended(agent.prompted(desk, prompt))? })
}

/// Where the Node is that agents need; the one of the system may be too old.
pub(super) fn with_node(command: &mut Command) {
    let node = repository::root().join("target/agents/node/node_modules/node/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs: Vec<PathBuf> = std::iter::once(node).chain(std::env::split_paths(&path)).collect();
    if let Ok(path) = std::env::join_paths(dirs) {
        command.env("PATH", path);
    }
}

impl OneShot for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn settle(&self, desk: &Desk) -> anyhow::Result<()> {
        Ok(std::fs::create_dir_all(desk.home.path().join(".claude"))?)
    }

    fn command_line(&self, line: &str) -> Value {
        serde_json::json!({"tool": "^Bash$", "args": {"command": line, "description": "run it"}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        serde_json::json!({"tool": format!("^mcp__nudge__{name}$"), "args": args})
    }

    fn prompted(&self, desk: &Desk, prompt: &str) -> Command {
        let mut command = self.command(desk);
        command.env("ENABLE_TOOL_SEARCH", "false");
        command.args(["--output-format", "stream-json", "--verbose", "--", prompt]);
        command
    }
}

impl OneShot for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn settle(&self, desk: &Desk) -> anyhow::Result<()> {
        self.configure(desk, MODEL)
    }

    fn command_line(&self, line: &str) -> Value {
        serde_json::json!({"tool": "^exec_command$", "args": {"cmd": line}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        serde_json::json!({"tool": format!("mcp__nudge/{name}"), "args": args})
    }

    fn prompted(&self, desk: &Desk, prompt: &str) -> Command {
        let mut command = self.command(desk);
        command.args(["exec", "--dangerously-bypass-hook-trust", "--json", "--", prompt]);
        command
    }
}
