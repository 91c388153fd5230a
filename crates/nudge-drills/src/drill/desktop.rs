//! A user's machine that runs Claude Code with Nudge in its hooks, and no server. Its clock can be
//! faked.

use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use nudge_core::Timestamp;
use serde_json::{Value, json};

use crate::bench::sessions::payload::TranscriptWriter;
use crate::bench::sessions::payload::{Call, Workspace, output};
use crate::stage::Home;

/// The path to the injected text in Claude Code's hook answer.
const CONTEXT_POINTER: &str = "/hookSpecificOutput/additionalContext";

/// The simulated machine.
pub(super) struct Desktop {
    pub(super) home: Home,
    /// The time on its clock; `None` for the real time.
    clock: Cell<Option<Timestamp>>,
}

/// Whether a user watches the agent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    ByThePerson,
    ByNobody,
}

impl Desktop {
    /// A machine with the real time.
    pub(super) fn new(nudge: &Path) -> anyhow::Result<Self> {
        Ok(Self { home: Home::of(nudge.to_owned())?, clock: Cell::new(None) })
    }

    /// A machine with a settable clock, by Debian's `faketime`.
    pub(super) fn with_false_clock(nudge: &Path, now: Timestamp) -> anyhow::Result<Self> {
        let found = Command::new("faketime").arg("--version").stdout(Stdio::null()).status();
        anyhow::ensure!(found.is_ok(), "faketime is missing: Debian has it in the package `faketime`");
        Ok(Self { clock: Cell::new(Some(now)), ..Self::new(nudge)? })
    }

    /// The time on its clock, in milliseconds since the epoch.
    pub(super) fn now(&self) -> anyhow::Result<i64> {
        let true_time = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        match self.clock.get() {
            Some(clock) => Ok(clock.as_millis()),
            None => Ok(i64::try_from(true_time()?.as_millis())?),
        }
    }

    /// Sets the fake clock.
    pub(super) fn set_clock(&self, now: Timestamp) {
        self.clock.set(Some(now));
    }

    /// Advances the fake clock.
    pub(super) fn pass(&self, time: Duration) {
        self.clock.set(self.clock.get().map(|clock| clock.plus(time)));
    }

    /// Creates a repository with these files, committed.
    pub(super) fn repository(&self, name: &str, files: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
        let root = self.home.path().join("src").join(name);
        for (file, text) in files {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().context("a file lies in a directory")?)?;
            std::fs::write(file, text)?;
        }
        self.git(&root, &["init", "--quiet", "--initial-branch=main"])?;
        self.git(&root, &["remote", "add", "origin", &format!("git@example.com:ada/{name}.git")])?;
        self.git(&root, &["add", "--all"])?;
        self.git(&root, &["commit", "--quiet", "-m", "Begin"])?;
        Ok(root)
    }

    /// Runs git in a repository, at the time of the clock.
    pub(super) fn git(&self, root: &Path, args: &[&str]) -> anyhow::Result<String> {
        let date = format!("@{} +0000", self.now()? / 1000);
        let mut git = self.home.program(Path::new("git"));
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(args).current_dir(root);
        git.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        let output = git.output().context("git cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "git {} failed: {}", args.join(" "), stderr.trim());
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The user runs a Nudge command in a directory; returns its JSON output.
    pub(super) fn person(&self, dir: &Path, args: &[&str]) -> anyhow::Result<Value> {
        self.json(self.nudge(args, dir), args)
    }

    /// An agent runs a Nudge command: it sets the variable that marks an agent.
    pub(super) fn agent(&self, dir: &Path, args: &[&str]) -> anyhow::Result<Value> {
        let mut command = self.nudge(args, dir);
        command.env("CLAUDECODE", "1");
        self.json(command, args)
    }

    fn json(&self, mut command: Command, args: &[&str]) -> anyhow::Result<Value> {
        let output = command.arg("--json").output().context("nudge cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "nudge {} failed: {}", args.join(" "), stderr.trim());
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("nudge {} prints no JSON", args.join(" ")))
    }

    /// Sends an event to a hook of Claude Code; returns the text for the agent's context.
    pub(super) fn hook(&self, payload: &Value, watched: Watched) -> anyhow::Result<Option<String>> {
        let mut command = self.nudge(&["hook", "claude"], self.home.path());
        let entry = if watched == Watched::ByThePerson { "cli" } else { "sdk-cli" };
        command.env("CLAUDE_CODE_ENTRYPOINT", entry);
        let said = run_with_input(command, &payload.to_string())?;
        if said.trim().is_empty() {
            return Ok(None);
        }
        let answer: Value =
            serde_json::from_str(&said).with_context(|| format!("a hook answers {said:?}"))?;
        Ok(answer.pointer(CONTEXT_POINTER).and_then(Value::as_str).map(str::to_owned))
    }

    /// Sends an event to `nudge record`.
    pub(super) fn record(&self, event: &Value) -> anyhow::Result<()> {
        run_with_input(self.nudge(&["record"], self.home.path()), &event.to_string()).map(drop)
    }

    /// A command of Nudge in a directory, at the time of the clock.
    pub(super) fn nudge(&self, args: &[&str], dir: &Path) -> Command {
        let mut command = match self.clock.get() {
            None => self.home.nudge(args),
            Some(clock) => {
                let mut command = self.home.program(Path::new("faketime"));
                command.args(["-f", &shown(clock)]).arg(self.home.binary()).args(args);
                // Only the calendar is fake: deadlines use the real monotonic clock.
                command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("TZ", "UTC");
                command
            }
        };
        command.current_dir(dir);
        command
    }
}

/// Runs a program with this input and requires success; returns its output.
fn run_with_input(mut command: Command, input: &str) -> anyhow::Result<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("nudge cannot be started")?;
    child.stdin.take().context("standard input is piped")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{command:?} failed: {}", stderr.trim());
    Ok(String::from_utf8(output.stdout)?)
}

/// A time in the format of faketime: `2026-03-02 09:00:00`.
fn shown(time: Timestamp) -> String {
    time.to_string().replace('T', " ").chars().take(19).collect()
}

// One session of Claude Code: its hooks, and the transcript that it writes.

/// A session in a repository.
pub(super) struct ClaudeSession<'d> {
    desktop: &'d Desktop,
    name: String,
    root: PathBuf,
    cwd: String,
    transcript: PathBuf,
    watched: Watched,
    turn: String,
    /// Whether it reports commands before they run, too.
    announces: bool,
    /// What its hooks injected.
    injected: RefCell<Vec<String>>,
    /// A counter, so that each line and each call of the session is unique.
    number: u64,
}

impl<'d> ClaudeSession<'d> {
    /// An attended session with this name.
    pub(in crate::drill) fn new(desktop: &'d Desktop, name: &str, root: &Path) -> anyhow::Result<Self> {
        let dir = desktop.home.path().join(".claude/projects").join(root.file_name().context("a name")?);
        std::fs::create_dir_all(&dir)?;
        Ok(Self {
            desktop,
            name: name.to_owned(),
            root: root.to_owned(),
            cwd: root.to_string_lossy().into_owned(),
            transcript: dir.join(format!("{name}.jsonl")),
            watched: Watched::ByThePerson,
            turn: String::new(),
            announces: false,
            injected: RefCell::default(),
            number: 0,
        })
    }

    /// Makes the session headless.
    pub(in crate::drill) fn unwatched(self) -> Self {
        Self { watched: Watched::ByNobody, ..self }
    }

    /// Makes the session report commands before they run, too.
    pub(in crate::drill) fn announcing(self) -> Self {
        Self { announces: true, ..self }
    }

    /// What its hooks injected since the last call.
    pub(in crate::drill) fn take_injected(&self) -> Vec<String> {
        self.injected.take()
    }

    /// Starts the session; returns what the agent gets.
    pub(in crate::drill) fn start(&mut self) -> anyhow::Result<Option<String>> {
        self.fire(self.workspace().start("startup"))
    }

    /// Ends the session.
    pub(in crate::drill) fn end(&mut self) -> anyhow::Result<()> {
        self.fire(self.workspace().end(&self.turn)).map(drop)
    }

    /// The user sends a prompt; the transcript has it after the hook has run.
    pub(in crate::drill) fn prompt(&mut self, words: &str) -> anyhow::Result<()> {
        self.prompt_unwritten(words)?;
        self.write(|pen| pen.prompt(words, false))
    }

    /// Sends a prompt to the hook that is not in the transcript.
    pub(in crate::drill) fn prompt_unwritten(&mut self, words: &str) -> anyhow::Result<()> {
        self.ask(words).map(drop)
    }

    /// The same; returns what the agent gets.
    pub(in crate::drill) fn ask(&mut self, words: &str) -> anyhow::Result<Option<String>> {
        self.number += 1;
        self.turn = format!("{}-turn-{}", self.name, self.number);
        self.fire(self.workspace().prompt(&self.turn, words))
    }

    /// The agent adds a line to a file.
    pub(in crate::drill) fn edit(&mut self, file: &str, line: &str) -> anyhow::Result<()> {
        let path = self.root.join(file);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let last = before.lines().next_back().unwrap_or_default().to_owned();
        let input = json!({"file_path": path, "old_string": last, "new_string": format!("{last}\n{line}")});
        std::fs::create_dir_all(path.parent().context("a file lies in a directory")?)?;
        std::fs::write(&path, format!("{before}{line}\n"))?;
        self.call("Edit", input, Ok(json!({"filePath": path, "userModified": false})))
    }

    /// The agent reads a file.
    pub(in crate::drill) fn read(&mut self, file: &str) -> anyhow::Result<()> {
        let path = self.root.join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let answer = json!({"type": "text", "file": {"filePath": path, "content": text}});
        self.call("Read", json!({"file_path": path}), Ok(answer))
    }

    /// The agent runs a command, which succeeds or fails with this output.
    pub(in crate::drill) fn run(&mut self, command: &str, ended: Result<&str, &str>) -> anyhow::Result<()> {
        self.call("Bash", json!({"command": command}), ended.map(output))
    }

    /// The agent commits all changes.
    pub(in crate::drill) fn commit(&mut self, message: &str) -> anyhow::Result<()> {
        self.desktop.git(&self.root, &["add", "--all"])?;
        let said = self.desktop.git(&self.root, &["commit", "-m", message])?;
        self.run(&format!("git add --all && git commit -m \"{message}\""), Ok(&said))
    }

    /// The agent starts a subagent with these words: hooks name it, and the transcript has it on a
    /// side chain.
    pub(in crate::drill) fn task(&mut self, agent: &str, words: &str) -> anyhow::Result<()> {
        let input = json!({"description": "Look", "prompt": words, "subagent_type": "general-purpose"});
        let turn = self.turn.clone();
        for event in ["SubagentStart", "UserPromptSubmit"] {
            let mut payload = self.workspace().prompt(&turn, words);
            payload["hook_event_name"] = event.into();
            payload["agent_id"] = agent.into();
            payload["agent_type"] = "general-purpose".into();
            self.fire(payload)?;
        }
        self.write(|pen| {
            let mut line = pen.prompt(words, false);
            line["isSidechain"] = true.into();
            line["agentId"] = agent.into();
            line
        })?;
        self.call("Agent", input, Ok(json!({"content": [{"type": "text", "text": words}]})))
    }

    /// The agent ends its turn with these words.
    pub(in crate::drill) fn stop(&mut self, words: &str) -> anyhow::Result<()> {
        self.write(|pen| pen.assistant_text(words))?;
        self.fire(self.workspace().stop(&self.turn, words)).map(drop)
    }

    /// A call: in the transcript when it begins, in the hook when it has ended, and in the
    /// transcript again.
    fn call(&mut self, tool: &str, input: Value, ended: Result<Value, &str>) -> anyhow::Result<()> {
        self.number += 1;
        let call = Call { id: format!("toolu_{}_{}", self.name, self.number), tool: tool.to_owned(), input };
        self.write(|pen| pen.called(&call))?;
        if self.announces && tool == "Bash" {
            self.fire(self.workspace().about(&self.turn, &call))?;
        }
        let (payload, answer) = match &ended {
            Ok(answer) => (self.workspace().done(&self.turn, &call, answer.clone()), answer.to_string()),
            Err(error) => (self.workspace().failed(&self.turn, &call, error), (*error).to_owned()),
        };
        self.fire(payload)?;
        self.write(|pen| pen.answered(&call, &answer, ended.is_err()))
    }

    /// Sends this payload to the hook.
    pub(in crate::drill) fn fire(&self, mut payload: Value) -> anyhow::Result<Option<String>> {
        payload["transcript_path"] = self.transcript.to_string_lossy().into();
        let text = self.desktop.hook(&payload, self.watched)?;
        self.injected.borrow_mut().extend(text.clone());
        Ok(text)
    }

    /// The session and its directory.
    pub(in crate::drill) fn workspace(&self) -> Workspace<'_> {
        Workspace { session: &self.name, cwd: &self.cwd }
    }

    fn write(&mut self, line: impl FnOnce(&TranscriptWriter<'_>) -> Value) -> anyhow::Result<()> {
        self.number += 1;
        let (workspace, at) = (self.workspace(), self.desktop.now()?);
        let line =
            line(&TranscriptWriter { workspace: &workspace, turn: &self.turn, at, number: self.number });
        let mut file = OpenOptions::new().append(true).create(true).open(&self.transcript)?;
        writeln!(file, "{line}")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_as_faketime_reads_it() {
        assert_eq!(shown(Timestamp::from_millis(1_772_442_000_000)), "2026-03-02 09:00:00");
    }
}
