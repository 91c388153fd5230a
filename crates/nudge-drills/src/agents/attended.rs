//! Agents as a person uses them: in a terminal, with nothing left to ask before they begin.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::agent::{Agent, Desk};
use super::claude::Claude;
use super::codex::Codex;
use super::terminal::Terminal;

/// What the scripted model answers to a prompt without a script.
const ANSWER: &str = "ok";

/// What both show when they can be typed to.
pub(super) const READY: &str = "? for shortcuts";

/// An agent that can be run in a terminal.
pub(super) trait Attended: Agent {
    /// Answers beforehand what it would ask in this project.
    fn settle(&self, desk: &Desk) -> anyhow::Result<()>;

    /// The command that a person starts it with.
    fn in_terminal(&self, desk: &Desk) -> Command;

    /// The sign before what its model says.
    fn bullet(&self) -> char;
}

/// A session of one prompt that the person types, without a script.
pub(super) fn say(agent: &dyn Attended, desk: &Desk, words: &str) -> anyhow::Result<()> {
    let terminal = Terminal::start(&agent.in_terminal(desk))?;
    terminal.wait_for(READY)?;
    terminal.enter(words)?;
    terminal.wait_for(&format!("{} {ANSWER}", agent.bullet()))?;
    leave(&terminal)
}

/// Ends what runs in a terminal as a person does.
pub(super) fn leave(terminal: &Terminal) -> anyhow::Result<()> {
    // A moment for the hooks of the turn.
    std::thread::sleep(Duration::from_millis(500));
    terminal.enter("/exit")?;
    terminal.wait_for_end()
}

impl Attended for Claude {
    fn settle(&self, desk: &Desk) -> anyhow::Result<()> {
        let file = desk.home.path().join(".claude.json");
        let state = std::fs::read(&file).unwrap_or_else(|_| b"{}".to_vec());
        let mut state: Value = serde_json::from_slice(&state)?;
        state["hasCompletedOnboarding"] = json!(true);
        state["theme"] = json!("dark");
        state["customApiKeyResponses"] = json!({"approved": ["dummy"], "rejected": []});
        state["projects"][desk.project.to_string_lossy().as_ref()] =
            json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        Ok(std::fs::write(file, state.to_string())?)
    }

    fn in_terminal(&self, desk: &Desk) -> Command {
        self.watched(desk, "default")
    }

    fn bullet(&self) -> char {
        '●'
    }
}

impl Attended for Codex {
    fn settle(&self, desk: &Desk) -> anyhow::Result<()> {
        let mut file = OpenOptions::new().append(true).open(desk.home.path().join(".codex/config.toml"))?;
        Ok(writeln!(file, "\n[projects.\"{}\"]\ntrust_level = \"trusted\"", desk.project.display())?)
    }

    fn in_terminal(&self, desk: &Desk) -> Command {
        self.watched(desk)
    }

    fn bullet(&self) -> char {
        '•'
    }
}
