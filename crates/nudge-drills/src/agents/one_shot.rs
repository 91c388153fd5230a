//! The common part of all four agents: a session of one prompt, from a script.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::agent::{FINAL_MESSAGE, Workspace, run_to_end};
use super::claude::Claude;
use super::codex::Codex;
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
    pub(super) fn all_output(&self) -> String {
        let out = String::from_utf8_lossy(&self.output.stdout);
        format!("{out}\n{}", String::from_utf8_lossy(&self.output.stderr))
    }

    /// Whether the model reached the end of its script.
    pub(super) fn is_done(&self) -> bool {
        self.output.status.success() && self.all_output().contains(FINAL_MESSAGE)
    }

    /// The lines that report a hook error.
    pub(super) fn hook_errors(&self) -> Vec<String> {
        self.all_output()
            .lines()
            .filter(|line| is_hook_error(line))
            .map(|line| line.chars().take(400).collect())
            .collect()
    }
}

/// Words with which agents report a hook error.
const ERROR_WORDS: [&str; 7] =
    ["fail", "error", "denied", "not found", "no usable answer", "timed out", "cancelled"];

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
    line.contains("hook") && !is_ours && ERROR_WORDS.iter().any(|word| line.contains(word))
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

// GitHub Copilot CLI, as a script runs it.

/// The installed program.
pub(super) struct Copilot {
    program: PathBuf,
}

impl Copilot {
    pub(super) fn at(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }
}

impl OneShot for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        Ok(std::fs::create_dir_all(workspace.home.path().join(".copilot"))?)
    }

    fn command_line(&self, line: &str) -> Value {
        json!({"tool": "^bash$", "args": {"command": line, "description": "run it"}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        json!({"tool": format!("^nudge-{name}$"), "args": args})
    }

    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command {
        let mut command = workspace.program(&self.program);
        command
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", workspace.model.address()))
            .env("COPILOT_MODEL", MODEL)
            .env("COPILOT_AUTO_UPDATE", "false")
            .args(["--allow-all-tools", "--trust-folder", "--output-format", "json", "-p", prompt]);
        with_node(&mut command);
        command
    }

    fn takes_http(&self) -> bool {
        false
    }
}

// opencode, as a script runs it.

/// A file that opencode writes next to its settings at its first start with a network. With it,
/// opencode does not look for more.
const LOCK_FILE: &str = r#"{"name":"opencode","lockfileVersion":3,"requires":true,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}"#;

/// The installed program.
pub(super) struct Opencode {
    program: PathBuf,
}

impl Opencode {
    pub(super) fn at(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }
}

impl OneShot for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let own = workspace.home.path().join(".config/opencode");
        std::fs::create_dir_all(own.join("node_modules"))?;
        std::fs::write(own.join("package-lock.json"), LOCK_FILE)?;
        let model = format!("scripted/{MODEL}");
        let limit = json!({"context": 100_000, "output": 4_096});
        let models = json!({ MODEL: {"name": "scripted", "limit": limit, "tool_call": true} });
        let options = json!({"baseURL": format!("{}/v1", workspace.model.address()), "apiKey": "dummy"});
        let settings = json!({
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": false,
            "share": "disabled",
            "model": model,
            "small_model": model,
            "permission": {"*": "allow"},
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models
            }},
        });
        Ok(std::fs::write(own.join("opencode.json"), format!("{settings:#}\n"))?)
    }

    fn command_line(&self, line: &str) -> Value {
        json!({"tool": "^bash$", "args": {"command": line, "description": "run it"}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        json!({"tool": format!("^nudge_{name}$"), "args": args})
    }

    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command {
        let mut command = workspace.program(&self.program);
        command
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .args(["run", "--format", "json", prompt]);
        with_node(&mut command);
        command
    }
}
