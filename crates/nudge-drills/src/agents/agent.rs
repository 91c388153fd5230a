//! What a story asks of an agent, whichever it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;
use tempfile::TempDir;

use super::model::Model;
use crate::stage::Home;

/// A program that a person gives prompts to.
pub(super) trait Agent {
    /// What it is called here and in the memory.
    fn name(&self) -> &'static str;

    /// Puts Nudge into it, in this home.
    fn take_up(&self, desk: &Desk) -> anyhow::Result<()>;

    /// Whether it tells the programs it starts that nobody watches.
    fn tells_that_nobody_watches(&self) -> bool;

    /// What its model has to call to do this.
    fn call(&self, step: Step<'_>, desk: &Desk) -> Value;

    /// What its model has to call to search the memory; none where it is not shown that tool.
    fn search(&self, query: &str) -> Option<Value>;

    /// A session of one prompt, as from a script; its id.
    fn once(&self, desk: &Desk, prompt: &str) -> anyhow::Result<String>;

    /// A session that goes on.
    fn open(&self, desk: &Desk) -> anyhow::Result<Box<dyn Conversation>>;

    /// Takes a session up again.
    fn resume(&self, desk: &Desk, session: &str, prompt: &str) -> anyhow::Result<()>;

    /// Takes a session up again with a context that is too full, so that the agent compacts it by itself.
    fn overflow(&self, desk: &Desk, session: &str, prompt: &str) -> anyhow::Result<()>;
}

/// A session that is going on.
pub(super) trait Conversation {
    /// Gives it a prompt and waits for the end of the turn.
    fn ask(&mut self, prompt: &str) -> anyhow::Result<()>;

    /// What a person does with `/compact`.
    fn compact(&mut self) -> anyhow::Result<()>;

    /// Ends it; its id.
    fn close(self: Box<Self>) -> anyhow::Result<String>;
}

/// Something that is done in a project.
#[derive(Copy, Clone, Debug)]
pub(super) enum Step<'a> {
    /// A new file, with this line.
    Write(&'a str, &'a str),
    /// In a file, one line for another.
    Edit(&'a str, &'a str, &'a str),
    /// A command line.
    Run(&'a str),
}

/// Where a person works: a home, a project in it, and the model their agents are connected to.
pub(super) struct Desk {
    pub(super) home: Home,
    pub(super) project: PathBuf,
    pub(super) model: Model,
    work: TempDir,
}

impl Desk {
    /// An empty home, and a repository with one file.
    pub(super) fn new(nudge: &Path, project: &str) -> anyhow::Result<Self> {
        let home = Home::of(nudge.to_owned())?;
        let work = tempfile::Builder::new().prefix("nudge-agent-").tempdir()?;
        let model = Model::start(&work.path().join("requests"))?;
        let mut desk = Self { home, project: PathBuf::new(), model, work };
        desk.turn_to(project)?;
        Ok(desk)
    }

    /// Goes on in a new project: another repository with one file.
    pub(super) fn turn_to(&mut self, project: &str) -> anyhow::Result<()> {
        self.project = self.work.path().canonicalize()?.join(project);
        std::fs::create_dir(&self.project)?;
        std::fs::write(self.file("greeting.txt"), "hello\n")?;
        for args in [
            ["init", "--quiet", "."],
            ["config", "user.name", "Ada"],
            ["config", "user.email", "ada@example.org"],
        ] {
            let status = Command::new("git").args(args).current_dir(&self.project).status();
            let status = status.context("git is needed")?;
            anyhow::ensure!(status.success(), "git {args:?} failed: {status}");
        }
        Ok(())
    }

    /// A program that is started in the project, with only what every agent needs.
    pub(super) fn program(&self, program: &Path) -> Command {
        let mut command = self.home.program(program);
        command.current_dir(&self.project).env("LANG", "C.UTF-8").env("TERM", "dumb");
        command
    }

    /// The prompt that makes the model of this agent take these steps.
    pub(super) fn prompt(&self, agent: &dyn Agent, words: &str, steps: &[Step<'_>]) -> String {
        let calls: Vec<Value> = steps.iter().map(|step| agent.call(*step, self)).collect();
        super::model::prompt(words, &calls)
    }

    /// A file of the project.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.project.join(name)
    }

    /// What Nudge prints in the project, as JSON.
    pub(super) fn nudge_json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let output = self.home.nudge(args).arg("--json").current_dir(&self.project).output()?;
        let said = || format!("nudge {}, {}", args.join(" "), super::ended::shown(&output));
        anyhow::ensure!(output.status.success(), "{}", said());
        serde_json::from_slice(&output.stdout).with_context(said)
    }

    /// Writes into the person's configuration, before whatever is there.
    pub(super) fn configure(&self, line: &str) -> anyhow::Result<()> {
        let file = self.home.path().join(".config/nudge/config.toml");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::create_dir_all(self.home.path().join(".config/nudge"))?;
        Ok(std::fs::write(file, format!("{line}\n{before}"))?)
    }
}
