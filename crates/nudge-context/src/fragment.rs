//! What a block can hold. Each is a small type that renders to one bounded line.

use nudge_core::{EntryId, ObservationKind, Outcome, Timestamp};

use crate::age::age;
use crate::clean::{cell, clean};

/// How much of a prompt stands for its intent.
const INTENT: usize = 60;
/// How much of a prompt is given back when the context was lost.
const PROMPT: usize = 300;
/// How much of a path or command a row shows.
const SUMMARY: usize = 80;
/// How much of a project's or branch's name is shown.
const NAME: usize = 40;

/// Something the person asked for, and how much was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The prompt.
    pub entry: EntryId,
    /// When it was asked.
    pub at: Timestamp,
    /// In what words.
    pub text: String,
    /// How many actions followed.
    pub actions: u32,
}

impl Intent {
    /// `- [2m ago] "commit this" → 4 actions`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        let noun = if self.actions == 1 { "action" } else { "actions" };
        format!("- [{}] \"{}\" → {} {noun}\n", age(self.at, now), clean(&self.text, INTENT), self.actions)
    }

    /// The prompt itself, for an agent that has lost it.
    pub(crate) fn prompt(&self, now: Timestamp) -> String {
        format!("- [{}] the person asked: \"{}\"\n", age(self.at, now), clean(&self.text, PROMPT))
    }
}

/// Where something happened, seen from the session that is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// In this checkout.
    Here,
    /// In another worktree of this project.
    Worktree(String),
    /// In a session of this project that is still going on.
    Parallel,
    /// In another project.
    Project(String),
}

/// Something an agent did.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The observation.
    pub entry: EntryId,
    /// When it happened.
    pub at: Timestamp,
    /// What sort of thing.
    pub kind: ObservationKind,
    /// The file it is about.
    pub file: Option<String>,
    /// What was done: a command line, a path, a message.
    pub text: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the person pinned it.
    pub pinned: bool,
    /// Where it happened.
    pub place: Where,
    /// Why it must not be told now, though it would fit.
    pub withheld: Option<&'static str>,
}

impl Row {
    /// `| #50 | 2h ago | file_edit | src/auth/mod.rs |`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        format!(
            "| #{} | {} | {} | {}{} |\n",
            self.entry.0,
            age(self.at, now),
            self.kind.name(),
            self.summary(),
            self.label()
        )
    }

    /// What was done, reported and never advised. Of another project only the kind of thing, a file's name and a command's first word.
    fn summary(&self) -> String {
        let elsewhere = matches!(self.place, Where::Project(_));
        let ran = matches!(self.kind, ObservationKind::Command | ObservationKind::CommandError);
        match (&self.file, ran, elsewhere) {
            (Some(file), false, true) => cell(file_name(file), SUMMARY),
            (None, false, true) => String::new(),
            (_, true, true) => format!("ran {}", cell(first_word(&self.text), NAME)),
            (_, true, false) => {
                format!("ran `{}`{}", cell(&self.text, SUMMARY).replace('`', "'"), self.ended())
            }
            (Some(file), false, false) if self.is_about_file() => cell(file, SUMMARY),
            (_, false, false) => cell(&self.text, SUMMARY),
        }
    }

    const fn is_about_file(&self) -> bool {
        matches!(
            self.kind,
            ObservationKind::FileRead | ObservationKind::FileWrite | ObservationKind::FileEdit
        )
    }

    fn ended(&self) -> String {
        match self.outcome {
            Outcome::Success => ", exit 0".to_owned(),
            Outcome::Failed { exit: Some(status) } => format!(", exit {status}"),
            Outcome::Failed { exit: None } => ", failed".to_owned(),
            Outcome::Unknown => String::new(),
        }
    }

    fn label(&self) -> String {
        match &self.place {
            Where::Here => String::new(),
            Where::Worktree(name) => format!(" (worktree {})", cell(name, NAME)),
            Where::Parallel => " (a session that is still running)".to_owned(),
            Where::Project(name) => format!(" [{}]", cell(name, NAME)),
        }
    }
}

/// The last command of a session, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The observation.
    pub entry: EntryId,
    /// When it ran.
    pub at: Timestamp,
    /// The command line.
    pub text: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What a failed one said last.
    pub response: Option<String>,
}

impl Command {
    pub(crate) fn line(&self, now: Timestamp) -> String {
        let ended = match self.outcome {
            Outcome::Success => "exit 0".to_owned(),
            Outcome::Failed { exit: Some(status) } => format!("exit {status}"),
            Outcome::Failed { exit: None } => "failed".to_owned(),
            Outcome::Unknown => "its end is not known".to_owned(),
        };
        let said = self.response.as_deref().filter(|_| matches!(self.outcome, Outcome::Failed { .. }));
        let said = said.map_or_else(String::new, |said| format!(": \"{}\"", clean(said, PROMPT)));
        let command = clean(&self.text, PROMPT).replace('`', "'");
        format!("- [{}] the last command: `{command}`, {ended}{said}\n", age(self.at, now))
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn first_word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}
