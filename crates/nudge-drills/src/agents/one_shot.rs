//! The common part of all four agents: a session of one prompt, from a script.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use super::agent::Workspace;
use super::claude::Claude;
use super::codex::Codex;
use super::ended::run_to_end;
use super::model::FINAL_MESSAGE;
use crate::repository;

/// A model name that no agent knows, so that all tools are offered to it.
pub(super) const MODEL: &str = "scripted-model";

/// An agent that runs one prompt to its end.
pub(super) trait OneShot {
    /// Its name here and in the memory.
    fn name(&self) -> &'static str;

    /// Writes the user's settings from before Nudge: the model's address, and approvals.
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()>;

    /// The tool call with which its model runs a command line.
    fn command_line(&self, line: &str) -> Value;

    /// The tool call with which its model uses a Nudge tool.
    fn tool(&self, name: &str, args: &Value) -> Value;

    /// The command that runs a prompt and prints what happens.
    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command;

    /// Whether the MCP server can be registered over HTTP.
    fn takes_http(&self) -> bool {
        true
    }
}

/// A session that ended.
pub(super) struct FinishedSession {
    pub(super) output: Output,
}

impl FinishedSession {
    /// Its whole output.
    pub(super) fn said(&self) -> String {
        let out = String::from_utf8_lossy(&self.output.stdout);
        format!("{out}\n{}", String::from_utf8_lossy(&self.output.stderr))
    }

    /// Whether the model reached the end of its script.
    pub(super) fn is_done(&self) -> bool {
        self.output.status.success() && self.said().contains(FINAL_MESSAGE)
    }

    /// The lines that report a hook error.
    pub(super) fn hook_errors(&self) -> Vec<String> {
        self.said()
            .lines()
            .filter(|line| is_hook_error(line))
            .map(|line| line.chars().take(400).collect())
            .collect()
    }
}

/// Words with which agents report a hook error.
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
pub(super) fn run(
    agent: &dyn OneShot,
    workspace: &Workspace,
    prompt: &str,
) -> anyhow::Result<FinishedSession> {
    Ok(FinishedSession { output: run_to_end(agent.prompted(workspace, prompt))? })
}

/// Puts the Node that agents need on the path; the system's own may be too old.
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

    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        Ok(std::fs::create_dir_all(workspace.home.path().join(".claude"))?)
    }

    fn command_line(&self, line: &str) -> Value {
        serde_json::json!({"tool": "^Bash$", "args": {"command": line, "description": "run it"}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        serde_json::json!({"tool": format!("^mcp__nudge__{name}$"), "args": args})
    }

    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command {
        let mut command = self.command(workspace);
        command.env("ENABLE_TOOL_SEARCH", "false");
        command.args(["--output-format", "stream-json", "--verbose", "--", prompt]);
        command
    }
}

impl OneShot for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        self.configure(workspace, MODEL)
    }

    fn command_line(&self, line: &str) -> Value {
        serde_json::json!({"tool": "^exec_command$", "args": {"cmd": line}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        serde_json::json!({"tool": format!("mcp__nudge/{name}"), "args": args})
    }

    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command {
        let mut command = self.command(workspace);
        command.args(["exec", "--dangerously-bypass-hook-trust", "--json", "--", prompt]);
        command
    }
}
