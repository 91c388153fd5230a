//! A session of Claude Code in a home where Nudge was just installed.
//!
//! Once in a home that is empty, and once in one where Claude has settings, hooks and servers of the person. Shows
//! @install_claude and @uninstall_restores.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::files::{Moments, look};
use super::kept;
use super::model::{self, Model};
use crate::stage::Home;

/// A session takes about two seconds; a machine that stands still takes longer.
const DONE_WITHIN: Duration = Duration::from_secs(120);

/// After the agent ends, its MCP server reads the end of its input and ends, too.
const QUIET_WITHIN: Duration = Duration::from_secs(10);

/// What the person says, before the script.
pub(super) const WORDS: &str = "Greet the world in another tongue.";

/// What the model says at the end.
const LAST: &str = "All done.";

/// The settings of a person who has used Claude before.
const SETTINGS: &str = "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"echo rang >> \\\"$HOME/bell\\\"\"}]}\n        ]\n    },\n    \"env\": { \"GREETING\": \"hello\" }\n}";

/// What Claude kept of itself.
const STATE: &str = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"absent\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/false\",\n      \"args\": [],\n      \"env\": {}\n    }\n  }\n}";

/// Walks through both homes; what went wrong.
pub(super) fn walk(nudge: &Path, claude: &Path) -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (name, lived_in) in [("empty home", false), ("lived-in home", true)] {
        let began = Instant::now();
        let home = Home::of(nudge.to_owned())?;
        if lived_in {
            std::fs::create_dir(home.path().join(".claude"))?;
            std::fs::write(home.path().join(".claude/settings.json"), SETTINGS)?;
            std::fs::write(home.path().join(".claude.json"), STATE)?;
        }
        let found = Walk { home, claude: claude.to_owned() }.run(lived_in)?;
        println!("claude, {name}: {} violations, {:.1} s", found.len(), began.elapsed().as_secs_f64());
        wrong.extend(found.into_iter().map(|violation| format!("{name}: {violation}")));
    }
    Ok(wrong)
}

struct Walk {
    home: Home,
    claude: PathBuf,
}

impl Walk {
    fn run(&self, lived_in: bool) -> anyhow::Result<Vec<String>> {
        let work = tempfile::Builder::new().prefix("nudge-agent-").tempdir()?;
        let work_path = work.path().canonicalize()?;
        let project = project(&work_path)?;
        let model = Model::start(&work_path.join("requests"))?;
        let fresh = look(self.home.path())?;
        self.home.run(&["install", "claude"])?;
        let installed = look(self.home.path())?;
        let session = self.session(&project, &model)?;
        let left = self.home.wait_until_empty(QUIET_WITHIN);
        let used = look(self.home.path())?;
        let mut wrong = kept::violations(&self.home, &session, &project)?;
        if !left.is_empty() {
            wrong.push(format!("processes left behind: {left:?}"));
        }
        if lived_in && !used.contains_key("bell") {
            wrong.push("the person's own hook no longer runs".to_owned());
        }
        self.home.run(&["uninstall", "claude"])?;
        let uninstalled = look(self.home.path())?;
        wrong.extend(Moments { fresh, installed, used, uninstalled }.violations());
        Ok(wrong)
    }

    /// Runs the session; Claude's own id of it.
    fn session(&self, project: &Path, model: &Model) -> anyhow::Result<String> {
        let mut command = self.home.program(&self.claude);
        command
            .args(["-p", &model::prompt(WORDS, &calls(project), LAST), "--output-format", "json"])
            .args(["--allowedTools", "Read,Write,Edit,Bash,mcp__nudge"])
            .current_dir(project)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("ANTHROPIC_BASE_URL", model.address())
            .env("ANTHROPIC_API_KEY", "dummy")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1");
        let output = finished(command)?;
        let shown = || {
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            format!("{}: {out}\n{err}", output.status)
        };
        anyhow::ensure!(output.status.success(), "claude failed, {}", shown());
        let said: Value = serde_json::from_slice(&output.stdout).with_context(shown)?;
        anyhow::ensure!(said["result"] == LAST, "claude did not come to the end of the script, {}", shown());
        said["session_id"].as_str().map(str::to_owned).with_context(shown)
    }
}

/// Reads, writes, edits, a command that succeeds, one that fails, a commit, and a tool of our own server.
fn calls(project: &Path) -> Vec<Value> {
    let path = |name: &str| project.join(name);
    let bash =
        |command: &str| json!({"tool": "^Bash$", "args": {"command": command, "description": "run it"}});
    vec![
        json!({"tool": "^Read$", "args": {"file_path": path("greeting.txt")}}),
        json!({"tool": "^Write$", "args": {"file_path": path("names.txt"), "content": "Ada\nGrace\n"}}),
        json!({"tool": "^Edit$", "args": {"file_path": path("greeting.txt"), "old_string": "hello", "new_string": "hallo"}}),
        bash(kept::SUCCEEDS),
        bash(kept::FAILS),
        bash(kept::COMMITS),
        json!({"tool": "^mcp__nudge__set_hint$", "args": {"component": kept::HINT.0, "key": kept::HINT.1, "value": {"type": "command", "cmd": kept::HINT.2}}}),
    ]
}

/// A repository with one file.
fn project(work: &Path) -> anyhow::Result<PathBuf> {
    let dir = work.join("greeter");
    std::fs::create_dir(&dir)?;
    std::fs::write(dir.join("greeting.txt"), "hello\n")?;
    let status =
        Command::new("git").args(["init", "--quiet"]).current_dir(&dir).status().context("git is needed")?;
    anyhow::ensure!(status.success(), "git init failed: {status}");
    Ok(dir)
}

/// Runs a command to its end, or ends it when the time is up.
fn finished(mut command: Command) -> anyhow::Result<Output> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?} cannot be started"))?;
    let pid = rustix::process::Pid::from_child(&child);
    let (done, over) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        let late = over.recv_timeout(DONE_WITHIN).is_err();
        if late {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        late
    });
    // Both pipes are read while it runs: an agent may say more than a pipe holds.
    let stderr = child.stderr.take().context("standard error is piped")?;
    let reader = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
    let stdout = std::io::read_to_string(child.stdout.take().context("standard output is piped")?)?;
    let status = child.wait()?;
    let _ = done.send(());
    let late = watch.join().unwrap_or(true);
    let stderr = reader.join().unwrap_or_default();
    anyhow::ensure!(!late, "claude did not end within {DONE_WITHIN:?}: {stdout}\n{stderr}");
    Ok(Output { status, stdout: stdout.into_bytes(), stderr: stderr.into_bytes() })
}
