//! Codex, as a user or a script runs it.
//!
//! Codex does not run hooks that nobody has reviewed in its terminal; a script passes a flag
//! instead.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::{Value, json};

use super::agent::FINAL_MESSAGE;
use super::agent::{Agent, Conversation, Step, Workspace};
use super::agent::{run_to_end, shown};
use super::claude::Dialogue;

/// A model that Codex knows to edit files with patches.
const MODEL: &str = "gpt-5.5";

/// The model that Codex would offer instead, in a terminal, if it had not done so before.
const SUCCESSOR: &str = "gpt-6-sol";

/// Fewer tokens than the scripted model reports for any request.
const COMPACT_TOKENS: u32 = 100;

/// The installed program.
pub(super) struct Codex {
    program: PathBuf,
}

impl Codex {
    pub(super) fn at(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }

    /// Writes the user's settings from before Nudge: the scripted model, under a name that Codex
    /// may know.
    pub(super) fn configure(&self, workspace: &Workspace, model: &str) -> anyhow::Result<()> {
        let own = workspace.home.path().join(".codex");
        std::fs::create_dir_all(&own)?;
        Ok(std::fs::write(own.join("config.toml"), settings(&workspace.model.address(), model))?)
    }

    /// The same, under the name of a model that Codex knows.
    pub(super) fn connect(&self, workspace: &Workspace) -> anyhow::Result<()> {
        self.configure(workspace, MODEL)
    }

    pub(super) fn command(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.program(&self.program);
        command.env("MODEL_KEY", "dummy");
        command
    }

    /// The command with which a user starts it in a terminal.
    pub(super) fn watched(&self, workspace: &Workspace) -> Command {
        let mut command = self.command(workspace);
        command.args(["--dangerously-bypass-hook-trust", "--no-daemon"]).env("TERM", "xterm-256color");
        command
    }

    /// Runs it headless, to the end of the script; returns the id of the session.
    fn exec(&self, workspace: &Workspace, options: &[&str], words: &[&str]) -> anyhow::Result<String> {
        let mut command = self.command(workspace);
        command
            .arg("exec")
            .args(options)
            .args(["--dangerously-bypass-hook-trust", "--json", "--"])
            .args(words);
        let output = run_to_end(command)?;
        anyhow::ensure!(output.status.success(), "codex failed, {}", shown(&output));
        let said = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        anyhow::ensure!(
            lines.iter().any(|line| line["item"]["text"] == FINAL_MESSAGE),
            "codex did not come to the end of the script, {}",
            shown(&output)
        );
        let id = lines.iter().find_map(|line| line["thread_id"].as_str());
        id.map(str::to_owned).with_context(|| shown(&output))
    }
}

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn install_nudge(&self, workspace: &Workspace) -> anyhow::Result<()> {
        self.connect(workspace)?;
        workspace.home.run(&["install", "codex", "--yes"]).map(drop)
    }

    fn tells_that_nobody_watches(&self) -> bool {
        false
    }

    fn call(&self, step: Step<'_>, _: &Workspace) -> Value {
        let patch = |body: String| json!({"tool": "^apply_patch$", "args": {"input": format!("*** Begin Patch\n{body}\n*** End Patch")}});
        match step {
            Step::Write(name, line) => patch(format!("*** Add File: {name}\n+{line}")),
            Step::Edit(name, old, new) => patch(format!("*** Update File: {name}\n@@\n-{old}\n+{new}")),
            Step::Run(command) => json!({"tool": "^exec_command$", "args": {"cmd": command}}),
        }
    }

    /// Codex hides the tools of servers from its model until the model searches for them.
    fn search(&self, _: &str) -> Option<Value> {
        None
    }

    fn once(&self, workspace: &Workspace, prompt: &str) -> anyhow::Result<String> {
        self.exec(workspace, &[], &[prompt])
    }

    fn open(&self, workspace: &Workspace) -> anyhow::Result<Box<dyn Conversation>> {
        let mut command = self.command(workspace);
        command.arg("app-server");
        Talk::start(Dialogue::start(command)?, &workspace.project)
            .map(|talk| Box::new(talk) as Box<dyn Conversation>)
    }

    fn resume(&self, workspace: &Workspace, session: &str, prompt: &str) -> anyhow::Result<()> {
        self.exec(workspace, &["resume"], &[session, prompt]).map(drop)
    }

    fn overflow(&self, workspace: &Workspace, session: &str, prompt: &str) -> anyhow::Result<()> {
        let limit = format!("model_auto_compact_token_limit={COMPACT_TOKENS}");
        self.exec(workspace, &["resume", "-c", &limit], &[session, prompt]).map(drop)
    }
}

/// Its settings: the scripted model, no approvals, nothing that leaves this machine.
fn settings(address: &str, model: &str) -> String {
    format!(
        r#"model = "{model}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[notice.model_migrations]
"{MODEL}" = "{SUCCESSOR}"

[features]
apps = false
plugins = false
"#
    )
}

/// A session through the server that Codex's own terminal uses.
struct Talk {
    dialogue: Dialogue,
    thread: String,
    asked: u64,
}

impl Talk {
    fn start(dialogue: Dialogue, project: &Path) -> anyhow::Result<Self> {
        let mut talk = Self { dialogue, thread: String::new(), asked: 0 };
        talk.request("initialize", &json!({"clientInfo": {"name": "xtask", "version": "1"}}))?;
        talk.dialogue.say(&json!({"method": "initialized"}))?;
        let started =
            talk.request("thread/start", &json!({"cwd": project, "config": {"bypass_hook_trust": true}}))?;
        talk.thread = started["thread"]["id"].as_str().context("a thread has an id")?.to_owned();
        Ok(talk)
    }

    fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.dialogue.say(&json!({"id": id, "method": method, "params": params}))?;
        let answer = self.dialogue.wait_for(|said| said["id"] == id && said["method"].is_null())?;
        anyhow::ensure!(answer["error"].is_null(), "codex refused {method}: {answer}");
        Ok(answer["result"].clone())
    }

    /// Starts a turn and waits for its end.
    fn turn(&mut self, method: &str, params: &Value, done: impl Fn(&Value) -> bool) -> anyhow::Result<()> {
        self.request(method, params)?;
        let over = |said: &Value| said["method"] == "turn/completed";
        let said = self
            .dialogue
            .wait_for(|said| over(said) || (said["method"] == "item/completed" && done(said)))?;
        anyhow::ensure!(!over(&said), "codex ended the turn of {method} too early: {said}");
        self.dialogue.wait_for(over).map(drop)
    }
}

impl Conversation for Talk {
    fn ask(&mut self, prompt: &str) -> anyhow::Result<()> {
        let params = json!({"threadId": self.thread, "input": [{"type": "text", "text": prompt}]});
        self.turn("turn/start", &params, |said| said["params"]["item"]["text"] == FINAL_MESSAGE)
    }

    fn compact(&mut self) -> anyhow::Result<()> {
        let params = json!({"threadId": self.thread});
        self.turn("thread/compact/start", &params, |said| {
            said["params"]["item"]["type"] == "contextCompaction"
        })
    }

    fn close(self: Box<Self>) -> anyhow::Result<String> {
        self.dialogue.end()?;
        Ok(self.thread)
    }
}
