//! Agents as a user runs them: in a terminal, with all of their startup questions answered.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::agent::{Agent, Workspace};
use super::claude::Claude;
use super::codex::Codex;
use super::terminal::Terminal;

/// The scripted model's answer to a prompt without a script.
const ANSWER: &str = "ok";

/// The text that both show when they accept input.
pub(super) const READY: &str = "? for shortcuts";

/// An agent that can be run in a terminal.
pub(super) trait Attended: Agent {
    /// Answers in advance what it would ask in this project.
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()>;

    /// The command with which a user starts it.
    fn in_terminal(&self, workspace: &Workspace) -> Command;

    /// The sign in front of the model's messages.
    fn bullet(&self) -> char;
}

/// Runs a session of one prompt that the user types, without a script.
pub(super) fn say(agent: &dyn Attended, workspace: &Workspace, words: &str) -> anyhow::Result<()> {
    let terminal = Terminal::start(&agent.in_terminal(workspace))?;
    terminal.wait_for(READY)?;
    terminal.enter(words)?;
    terminal.wait_for(&format!("{} {ANSWER}", agent.bullet()))?;
    leave(&terminal)
}

/// Ends the program in a terminal as a user does.
pub(super) fn leave(terminal: &Terminal) -> anyhow::Result<()> {
    // Time for the hooks of the turn.
    std::thread::sleep(Duration::from_millis(500));
    terminal.enter("/exit")?;
    terminal.wait_for_end()
}

impl Attended for Claude {
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let file = workspace.home.path().join(".claude.json");
        let state = std::fs::read(&file).unwrap_or_else(|_| b"{}".to_vec());
        let mut state: Value = serde_json::from_slice(&state)?;
        state["hasCompletedOnboarding"] = json!(true);
        state["theme"] = json!("dark");
        state["customApiKeyResponses"] = json!({"approved": ["dummy"], "rejected": []});
        state["projects"][workspace.project.to_string_lossy().as_ref()] =
            json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        Ok(std::fs::write(file, state.to_string())?)
    }

    fn in_terminal(&self, workspace: &Workspace) -> Command {
        self.watched(workspace, "default")
    }

    fn bullet(&self) -> char {
        '●'
    }
}

impl Attended for Codex {
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let mut file =
            OpenOptions::new().append(true).open(workspace.home.path().join(".codex/config.toml"))?;
        Ok(writeln!(file, "\n[projects.\"{}\"]\ntrust_level = \"trusted\"", workspace.project.display())?)
    }

    fn in_terminal(&self, workspace: &Workspace) -> Command {
        self.watched(workspace)
    }

    fn bullet(&self) -> char {
        '•'
    }
}
