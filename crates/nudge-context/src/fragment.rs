//! The parts of a block. Each is a small type that renders to one bounded line.

use nudge_core::text::age;
use nudge_core::{EntryId, ObservationKind, Outcome, Timestamp};

use crate::clean::{cell, clean, quoted};
use crate::naming::{named, path_named};
use crate::program::program_of;

/// How much of a prompt is shown as an intent, in characters.
const MAX_INTENT_CHARS: usize = 120;
/// How much of a prompt is repeated when the context was lost, in characters.
const MAX_PROMPT_CHARS: usize = 300;
/// How much of a note is shown, in characters.
const MAX_NOTE_CHARS: usize = 300;
/// How much of an error is shown, in characters.
const MAX_ERROR_CHARS: usize = 120;
/// How much of a path or command a row shows, in characters.
const MAX_SUMMARY_CHARS: usize = 80;

/// Something the user asked for, and how much was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The prompt.
    pub entry: EntryId,
    /// When it was asked.
    pub at: Timestamp,
    /// Who said it; `None` if it was the user.
    pub by: Option<&'static str>,
    /// The words.
    pub text: String,
    /// How many actions followed.
    pub actions: u32,
    /// Where it was asked.
    pub place: RelativePlace,
    /// Why it must not be shown now, though it would fit; `None` if it may be.
    pub withheld: Option<&'static str>,
}

impl Intent {
    /// `- [2m ago] "commit this" → 4 actions #12`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        let noun = if self.actions == 1 { "action" } else { "actions" };
        let by = self.by.map_or_else(String::new, |by| format!(" {by}:"));
        format!(
            "- [{}]{by} \"{}\" → {} {noun}{} #{}\n",
            age(self.at, now),
            quoted(&self.text, MAX_INTENT_CHARS),
            self.actions,
            self.place.label(),
            self.entry.0
        )
    }
}

/// Something that memory has learned about this project, in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The entry it is about; `None` if it is about none.
    pub entry: Option<EntryId>,
    /// When that was last seen.
    pub at: Timestamp,
    /// Its text. It may quote what tools printed.
    pub text: String,
}

impl Note {
    /// The same with more room and the entry's number, for a block with nothing else.
    pub(crate) fn whole_line(&self, most: usize, now: Timestamp) -> String {
        let entry = self.entry.map_or_else(String::new, |entry| format!(" #{}", entry.0));
        format!("- [{}] {}{entry}\n", age(self.at, now), clean(&self.text, most))
    }

    /// `- [3h ago] the session before ended without an end: …`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        format!("- [{}] {}\n", age(self.at, now), clean(&self.text, MAX_NOTE_CHARS))
    }
}

/// Where something happened, relative to the session that gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelativePlace {
    /// In this checkout.
    Here,
    /// In another worktree of this project.
    Worktree(String),
    /// In a session of this project that is still running.
    Parallel,
    /// In another project.
    Project(String),
}

impl RelativePlace {
    /// Whether this session may be unable to see that work.
    pub const fn may_be_invisible(&self) -> bool {
        matches!(self, Self::Worktree(_) | Self::Parallel)
    }

    /// The label after a line.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Here => String::new(),
            Self::Worktree(name) => format!(" (worktree {})", named(name)),
            Self::Parallel => " (running session)".to_owned(),
            Self::Project(name) => format!(" [{}]", named(name)),
        }
    }
}

/// Something an agent did.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The observation.
    pub entry: EntryId,
    /// When it happened.
    pub at: Timestamp,
    /// What kind of action.
    pub kind: ObservationKind,
    /// The file it is about.
    pub file: Option<String>,
    /// What was done: a command line, a path, a message.
    pub text: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the user pinned it.
    pub pinned: bool,
    /// For a note: whether the user made it, not an agent.
    pub by_person: bool,
    /// For a command that sessions run repeatedly: in how many of how many sessions.
    pub often: Option<(usize, usize)>,
    /// Where it happened.
    pub place: RelativePlace,
    /// Why it must not be shown now, though it would fit; `None` if it may be.
    pub withheld: Option<&'static str>,
}

impl Row {
    /// `| #50 | 2h ago | file_edit | src/auth/mod.rs |`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        format!(
            "| #{} | {} | {}{} | {}{} |\n",
            self.entry.0,
            age(self.at, now),
            self.kind.name(),
            self.author(),
            self.summary(),
            self.place.label()
        )
    }

    /// The author of a note. Everything else was done by an agent.
    const fn author(&self) -> &'static str {
        match (self.kind, self.by_person) {
            (ObservationKind::Marker, true) => " (the person)",
            (ObservationKind::Marker, false) => " (an agent)",
            _ => "",
        }
    }

    /// Whether it says more than that the agent looked at something.
    pub(crate) const fn is_more_than_reading(&self) -> bool {
        self.pinned
            || !matches!(
                self.kind,
                ObservationKind::FileRead
                    | ObservationKind::Search
                    | ObservationKind::WebFetch
                    | ObservationKind::WebSearch
                    | ObservationKind::ToolOther
            )
    }

    /// What was done, reported and never advised. For another project, only the kind of action, the
    /// name of a file and the program that ran.
    fn summary(&self) -> String {
        let elsewhere = matches!(self.place, RelativePlace::Project(_));
        let ran = matches!(self.kind, ObservationKind::Command | ObservationKind::CommandError);
        match (&self.file, ran, elsewhere) {
            (Some(file), false, true) => path_cell(file_name(file)),
            (None, false, true) if self.is_about_git() => "ran git".to_owned(),
            (None, false, true) if self.kind == ObservationKind::Marker => "a note".to_owned(),
            (None, false, true) => String::new(),
            (_, true, true) => format!("ran {}", program_of(&self.text)),
            (_, true, false) => {
                let often = self.often.map_or_else(String::new, |(in_so_many, of)| {
                    format!(", in {in_so_many} of {of} sessions")
                });
                format!(
                    "ran `{}`{}{often}",
                    cell(&self.text, MAX_SUMMARY_CHARS).replace('`', "'"),
                    self.ended()
                )
            }
            (file, false, false) if self.is_about_file() => path_cell(file.as_ref().unwrap_or(&self.text)),
            (_, false, false) => cell(&self.text, MAX_SUMMARY_CHARS),
        }
    }

    /// Whether anything is left of it after cleaning.
    pub(crate) fn says_something(&self) -> bool {
        let is_injected = self.file.is_some() || !cell(&self.text, MAX_SUMMARY_CHARS).trim().is_empty();
        is_injected && !self.summary().trim().is_empty()
    }

    const fn is_about_git(&self) -> bool {
        matches!(self.kind, ObservationKind::GitCommit | ObservationKind::GitPush)
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
    /// The last output of a failed command.
    pub response: Option<String>,
}

impl Command {
    /// `failed, and was not seen to pass since: `make test`, exit 2: "no rule to make target" #16`
    pub(crate) fn still_failing(&self) -> String {
        format!("failed, and was not seen to pass since: {} #{}", self.failed(), self.entry.0)
    }

    /// `` `make test`, exit 2: "no rule to make target" ``
    fn failed(&self) -> String {
        let said = self.response.as_deref().filter(|said| !said.trim().is_empty());
        let said = said.map_or_else(String::new, |said| format!(": \"{}\"", quoted(said, MAX_ERROR_CHARS)));
        let command = clean(&self.text, MAX_SUMMARY_CHARS).replace('`', "'");
        format!("`{command}`, {}{said}", self.ended())
    }

    fn ended(&self) -> String {
        match self.outcome {
            Outcome::Success => "exit 0".to_owned(),
            Outcome::Failed { exit: Some(status) } => format!("exit {status}"),
            Outcome::Failed { exit: None } => "failed".to_owned(),
            Outcome::Unknown => "its end is not known".to_owned(),
        }
    }

    pub(crate) fn line(&self, now: Timestamp) -> String {
        let ended = self.ended();
        let said = self.response.as_deref().filter(|_| matches!(self.outcome, Outcome::Failed { .. }));
        let said = said.map_or_else(String::new, |said| format!(": \"{}\"", quoted(said, MAX_PROMPT_CHARS)));
        let command = clean(&self.text, MAX_PROMPT_CHARS).replace('`', "'");
        format!("- [{}] the last command: `{command}`, {ended}{said}\n", age(self.at, now))
    }
}

/// A command that failed, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The command.
    pub command: Command,
    /// Whether it passed since.
    pub has_passed: bool,
}

impl Failure {
    /// `- [5m ago] failed: `make test`, exit 2: "no rule to make target"; it passed since #16`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        let since = if self.has_passed { "it passed since" } else { "it has not passed since" };
        format!(
            "- [{}] failed: {}; {since} #{}\n",
            age(self.command.at, now),
            self.command.failed(),
            self.command.entry.0
        )
    }
}

/// A path in a cell of a table.
fn path_cell(path: &str) -> String {
    path_named(path, MAX_SUMMARY_CHARS).replace('|', "¦")
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
