//! One session of Claude Code: its hooks, and the transcript that it writes.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::{Desktop, Watched};
use crate::bench::sessions::payload::{Call, Desk, output};
use crate::bench::sessions::transcript::Pen;

/// A session in a repository.
pub(in crate::drill) struct Sitting<'d> {
    desktop: &'d Desktop,
    name: String,
    root: PathBuf,
    cwd: String,
    transcript: PathBuf,
    watched: Watched,
    turn: String,
    /// Tells each line and each call from all others of the session.
    number: u64,
}

impl<'d> Sitting<'d> {
    /// A session of this name, which a person watches.
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

    /// The same, and nobody watches.
    pub(in crate::drill) fn unwatched(self) -> Self {
        Self { watched: Watched::ByNobody, ..self }
    }

    /// It begins; what the agent gets.
    pub(in crate::drill) fn start(&mut self) -> anyhow::Result<Option<String>> {
        self.fire(self.desk().start("startup"))
    }

    /// It ends.
    pub(in crate::drill) fn end(&mut self) -> anyhow::Result<()> {
        self.fire(self.desk().end(&self.turn)).map(drop)
    }

    /// The person says something; the transcript has it once the hook has run.
    pub(in crate::drill) fn prompt(&mut self, words: &str) -> anyhow::Result<()> {
        self.prompt_unwritten(words)?;
        self.write(|pen| pen.prompt(words, false))
    }

    /// A prompt comes to the hook that the transcript does not have.
    pub(in crate::drill) fn prompt_unwritten(&mut self, words: &str) -> anyhow::Result<()> {
        self.number += 1;
        self.turn = format!("{}-turn-{}", self.name, self.number);
        self.fire(self.desk().prompt(&self.turn, words)).map(drop)
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

    /// The agent runs a command, which succeeds with this output or fails with that one.
    pub(in crate::drill) fn run(&mut self, command: &str, ended: Result<&str, &str>) -> anyhow::Result<()> {
        self.call("Bash", json!({"command": command}), ended.map(output))
    }

    /// The agent commits all that was changed.
    pub(in crate::drill) fn commit(&mut self, message: &str) -> anyhow::Result<()> {
        self.desktop.git(&self.root, &["add", "--all"])?;
        let said = self.desktop.git(&self.root, &["commit", "-m", message])?;
        self.run(&format!("git add --all && git commit -m \"{message}\""), Ok(&said))
    }

    /// The agent starts another one with these words: hooks name it, and the transcript has it on a side chain.
    pub(in crate::drill) fn task(&mut self, agent: &str, words: &str) -> anyhow::Result<()> {
        let input = json!({"description": "Look", "prompt": words, "subagent_type": "general-purpose"});
        let turn = self.turn.clone();
        for event in ["SubagentStart", "UserPromptSubmit"] {
            let mut payload = self.desk().prompt(&turn, words);
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
        self.fire(self.desk().stop(&self.turn, words)).map(drop)
    }

    /// A call: in the transcript when it begins, in the hook when it has ended, and in the transcript again.
    fn call(&mut self, tool: &str, input: Value, ended: Result<Value, &str>) -> anyhow::Result<()> {
        self.number += 1;
        let call = Call { id: format!("toolu_{}_{}", self.name, self.number), tool: tool.to_owned(), input };
        self.write(|pen| pen.called(&call))?;
        let (payload, answer) = match &ended {
            Ok(answer) => (self.desk().done(&self.turn, &call, answer.clone()), answer.to_string()),
            Err(error) => (self.desk().failed(&self.turn, &call, error), (*error).to_owned()),
        };
        self.fire(payload)?;
        self.write(|pen| pen.answered(&call, &answer, ended.is_err()))
    }

    /// Sends a payload of its own making to the hook.
    pub(in crate::drill) fn fire(&self, mut payload: Value) -> anyhow::Result<Option<String>> {
        payload["transcript_path"] = self.transcript.to_string_lossy().into();
        self.desktop.hook(&payload, self.watched)
    }

    /// Where the session stands.
    pub(in crate::drill) fn desk(&self) -> Desk<'_> {
        Desk { session: &self.name, cwd: &self.cwd }
    }

    fn write(&mut self, line: impl FnOnce(&Pen<'_>) -> Value) -> anyhow::Result<()> {
        self.number += 1;
        let (desk, at) = (self.desk(), self.desktop.now()?);
        let line = line(&Pen { desk: &desk, turn: &self.turn, at, number: self.number });
        let mut file = OpenOptions::new().append(true).create(true).open(&self.transcript)?;
        writeln!(file, "{line}")?;
        Ok(())
    }
}
