//! Claude Code, as a user or a script runs it.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use anyhow::Context;
use serde_json::{Value, json};

use super::agent::{Agent, Conversation, FINAL_MESSAGE, SESSION_TIMEOUT, Step, Workspace, run_to_end, shown};
use crate::stage::lines_of;

/// The percentage of its model's million tokens at which the context counts as full: fewer tokens
/// than the scripted model reports for any request.
const COMPACT_PERCENT: &str = "0.005";

/// The installed program.
pub(super) struct Claude {
    program: PathBuf,
}

impl Claude {
    pub(super) fn at(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }

    pub(super) fn command(&self, workspace: &Workspace) -> Command {
        let mut command = self.placed(workspace);
        command.arg("-p").args(["--allowedTools", "Read,Write,Edit,Bash,mcp__nudge"]);
        command
    }

    /// The command with which a user starts it in a terminal, in a mode that asks before it acts.
    pub(super) fn watched(&self, workspace: &Workspace, mode: &str) -> Command {
        let mut command = self.placed(workspace);
        // All tools are offered at once, because a scripted model does not search for them.
        command
            .args(["--permission-mode", mode])
            .env("TERM", "xterm-256color")
            .env("ENABLE_TOOL_SEARCH", "false");
        command
    }

    fn placed(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.program(&self.program);
        command
            .env("ANTHROPIC_BASE_URL", workspace.model.address())
            .env("ANTHROPIC_API_KEY", "dummy")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            // Claude would show commits and files to the model by itself; here they must come from
            // Nudge.
            .env("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1")
            .env("DISABLE_AUTOUPDATER", "1");
        command
    }
}

impl Agent for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn install_nudge(&self, workspace: &Workspace) -> anyhow::Result<()> {
        workspace.home.run(&["install", "claude", "--yes"]).map(drop)
    }

    fn tells_that_nobody_watches(&self) -> bool {
        true
    }

    fn call(&self, step: Step<'_>, workspace: &Workspace) -> Value {
        match step {
            Step::Write(name, line) => {
                json!({"tool": "^Write$", "args": {"file_path": workspace.file(name), "content": format!("{line}\n")}})
            }
            Step::Edit(name, old, new) => {
                json!({"tool": "^Edit$", "args": {"file_path": workspace.file(name), "old_string": old, "new_string": new}})
            }
            Step::Run(command) => {
                json!({"tool": "^Bash$", "args": {"command": command, "description": "run it"}})
            }
        }
    }

    fn search(&self, query: &str) -> Option<Value> {
        Some(json!({"tool": "^mcp__nudge__search$", "args": {"query": query}}))
    }

    fn once(&self, workspace: &Workspace, prompt: &str) -> anyhow::Result<String> {
        run_headless(self.command(workspace), prompt)
    }

    fn open(&self, workspace: &Workspace) -> anyhow::Result<Box<dyn Conversation>> {
        let mut command = self.command(workspace);
        command.args(["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
        Ok(Box::new(Talk { dialogue: Dialogue::start(command)?, session: String::new() }))
    }

    fn resume(&self, workspace: &Workspace, session: &str, prompt: &str) -> anyhow::Result<()> {
        let mut command = self.command(workspace);
        command.args(["--resume", session]);
        run_headless(command, prompt).map(drop)
    }

    fn overflow(&self, workspace: &Workspace, session: &str, prompt: &str) -> anyhow::Result<()> {
        let mut command = self.command(workspace);
        command.args(["--resume", session]).env("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", COMPACT_PERCENT);
        run_headless(command, prompt).map(drop)
    }
}

/// Runs a prompt headless, to the end of the script; returns the id of the session.
fn run_headless(mut command: Command, prompt: &str) -> anyhow::Result<String> {
    command.args(["--output-format", "json", "--", prompt]);
    let output = run_to_end(command)?;
    anyhow::ensure!(output.status.success(), "claude failed, {}", shown(&output));
    let said: Value = serde_json::from_slice(&output.stdout).with_context(|| shown(&output))?;
    anyhow::ensure!(said["result"] == FINAL_MESSAGE, "claude did not finish the script, {}", shown(&output));
    said["session_id"].as_str().map(str::to_owned).with_context(|| shown(&output))
}

/// A session that gets one message after the other.
struct Talk {
    dialogue: Dialogue,
    session: String,
}

impl Talk {
    /// Sends a message and waits for the end of the turn.
    fn turn(&mut self, text: &str) -> anyhow::Result<Value> {
        self.dialogue.say(&json!({"type": "user", "message": {"role": "user", "content": text}}))?;
        let result = self.dialogue.wait_for(|said| said["type"] == "result")?;
        anyhow::ensure!(result["subtype"] == "success", "claude could not do it: {result}");
        result["session_id"].as_str().unwrap_or_default().clone_into(&mut self.session);
        Ok(result)
    }
}

impl Conversation for Talk {
    fn ask(&mut self, prompt: &str) -> anyhow::Result<()> {
        let result = self.turn(prompt)?;
        anyhow::ensure!(result["result"] == FINAL_MESSAGE, "claude did not finish the script: {result}");
        Ok(())
    }

    fn compact(&mut self) -> anyhow::Result<()> {
        self.dialogue.say(&json!({"type": "user", "message": {"role": "user", "content": "/compact"}}))?;
        let boundary = self
            .dialogue
            .wait_for(|said| said["subtype"] == "compact_boundary" || said["type"] == "result")?;
        anyhow::ensure!(
            boundary["compact_metadata"]["trigger"] == "manual",
            "claude did not compact: {boundary}"
        );
        self.dialogue.wait_for(|said| said["type"] == "result").map(drop)
    }

    fn close(self: Box<Self>) -> anyhow::Result<String> {
        self.dialogue.end()?;
        Ok(self.session)
    }
}

// An agent that exchanges lines of JSON with the test while it runs.

/// How many of its last lines are shown when it fails.
const LINES_SHOWN: usize = 8;

/// The running agent; dropping it ends the process.
pub(super) struct Dialogue {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last: VecDeque<String>,
}

impl Dialogue {
    pub(super) fn start(mut command: Command) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{command:?} cannot be started"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("standard output is piped")?;
        let lines = lines_of(stdout);
        Ok(Self { child, stdin, lines, last: VecDeque::new() })
    }

    pub(super) fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("its input is open until the end")?;
        let line = format!("{message}\n");
        let said = stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush());
        said.with_context(|| format!("the agent no longer reads its input; its last lines: {:?}", self.last))
    }

    /// Skips messages until the wanted one arrives.
    pub(super) fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        loop {
            let line = self.lines.recv_timeout(SESSION_TIMEOUT).map_err(|why| {
                let why = match why {
                    RecvTimeoutError::Timeout => "said nothing more",
                    RecvTimeoutError::Disconnected => "ended",
                };
                anyhow::anyhow!("the agent {why}; its last lines: {:?}", self.last)
            })?;
            let heard = serde_json::from_str(&line).ok().filter(|value| wanted(value));
            if self.last.len() == LINES_SHOWN {
                self.last.pop_front();
            }
            self.last.push_back(line);
            if let Some(heard) = heard {
                return Ok(heard);
            }
        }
    }

    /// Closes its input and waits for it to exit by itself.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        self.stdin = None;
        while self.lines.recv_timeout(SESSION_TIMEOUT).is_ok() {}
        let status = self.child.wait()?;
        anyhow::ensure!(status.success(), "the agent ended with {status}; its last lines: {:?}", self.last);
        Ok(())
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
