//! One session of Claude Code: its hooks, and the transcript that it writes.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::{Desktop, Watched};
use crate::bench::sessions::payload::{Call, Workspace, output};
use crate::bench::sessions::transcript::TranscriptWriter;

/// A session in a repository.
pub(in crate::drill) struct ClaudeSession<'d> {
    desktop: &'d Desktop,
    name: String,
    root: PathBuf,
    cwd: String,
    transcript: PathBuf,
    watched: Watched,
    turn: String,
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
            number: 0,
        })
    }

    /// Makes the session headless.
    pub(in crate::drill) fn unwatched(self) -> Self {
        Self { watched: Watched::ByNobody, ..self }
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
        self.number += 1;
        self.turn = format!("{}-turn-{}", self.name, self.number);
        self.fire(self.workspace().prompt(&self.turn, words)).map(drop)
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
        self.write(|pen| pen.said(words))?;
        self.fire(self.workspace().stop(&self.turn, words)).map(drop)
    }

    /// A call: in the transcript when it begins, in the hook when it has ended, and in the
    /// transcript again.
    fn call(&mut self, tool: &str, input: Value, ended: Result<Value, &str>) -> anyhow::Result<()> {
        self.number += 1;
        let call = Call { id: format!("toolu_{}_{}", self.name, self.number), tool: tool.to_owned(), input };
        self.write(|pen| pen.called(&call))?;
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
        self.desktop.hook(&payload, self.watched)
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
