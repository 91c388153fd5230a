//! The content of a proposal.

use nudge_core::named_enum;
use nudge_store::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::statements::stored::{Category, Saying};

/// In how many sessions the user must have said something for it to be in force without a decision.
const SESSIONS_IN_FORCE: u32 = 2;

named_enum! {
    /// The proposed action.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Action {
        /// Set a hint, an entry or a file.
        Set => "set",
        /// Delete a hint, an entry or a file.
        Delete => "delete",
        /// Rename an entry or a file.
        Move => "move",
        /// Copy an entry or a file.
        Copy => "copy",
        /// Save what the user said as a statement.
        Remember => "remember",
        /// Replace the text of a statement.
        Correct => "correct",
        /// Remove a statement.
        Forget => "forget",
        /// Run a command.
        Run => "run",
    }
}

named_enum! {
    /// State of a proposal.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum State {
        /// The user has not decided.
        Waiting => "waiting",
        /// The user accepted the change.
        Accepted => "accepted",
        /// The user dropped it.
        Dropped => "dropped",
        /// The user said something else later.
        Replaced => "replaced",
        /// Too many newer proposals came after it.
        Expired => "expired",
    }
}

/// The attributes of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) action: Action,
    pub(crate) state: State,
    /// Why it was not done at once.
    pub(crate) why: String,
    /// How often it was asked for, or said.
    pub(crate) times: i64,
    /// The last time, in milliseconds since the epoch.
    pub(crate) asked_at: i64,
    /// What it is about.
    #[serde(flatten)]
    pub(crate) matter: ProposalSubject,
}

/// What a proposal is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum ProposalSubject {
    /// A change of a hint.
    Edit(Edit),
    /// A change of an entry or a file.
    Entry(EntryChange),
    /// A statement, or a change of one. Its words are the body of the proposal.
    Statement(Words),
    /// A request that recurred in several sessions.
    Routine(Words),
    /// A command that a run waits to run, or a call of a plugin.
    Command(CommandWanted),
}

impl ProposalSubject {
    /// The name of its kind.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Edit(_) => "edit",
            Self::Entry(change) if change.root.is_some() => "file",
            Self::Entry(_) => "edit",
            Self::Statement(_) => "statement",
            Self::Routine(_) => "routine",
            Self::Command(_) => "command",
        }
    }

    /// The details of its words; `None` for everything else.
    pub(crate) const fn words(&self) -> Option<&Words> {
        match self {
            Self::Edit(_) | Self::Entry(_) | Self::Command(_) => None,
            Self::Statement(words) | Self::Routine(words) => Some(words),
        }
    }

    pub(super) const fn words_mut(&mut self) -> Option<&mut Words> {
        match self {
            Self::Edit(_) | Self::Entry(_) | Self::Command(_) => None,
            Self::Statement(words) | Self::Routine(words) => Some(words),
        }
    }
}

/// A change of a hint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edit {
    pub(crate) component: String,
    pub(crate) key: String,
    /// The path of the hint that would change.
    pub(crate) target: String,
    /// The value, in its wire form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    /// The metadata, in its wire form, including the conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Value>,
}

/// A change of an entry or a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct EntryChange {
    pub(crate) path: String,
    /// The new path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
    /// The new body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
    /// New attributes; `null` removes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attributes: Option<Map<String, Value>>,
    /// The version of the entry that it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i64>,
    /// For a file: the root of its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<String>,
    /// For a file: the hash of the text that it was made for, under the store's key; absent if
    /// there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
}

/// A command that a run waits to run, or a call of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandWanted {
    /// What the shell is given. For a call: its arguments, a JSON object.
    pub(crate) command: String,
    /// The plugin's tool that is called, such as `issues.create`; absent for a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// The root of its project.
    pub(crate) root: String,
    /// The name of the run.
    pub(crate) run: String,
    /// The rights it needs beside those of every command, such as `network`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rights: Vec<String>,
    /// What keeps it in, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) sandbox: String,
}

impl CommandWanted {
    /// What would be done, in one line.
    pub(crate) fn line(&self) -> String {
        match &self.tool {
            Some(tool) => format!("{tool} {}", self.command),
            None => self.command.clone(),
        }
    }

    /// The same in the words of a proposal.
    pub(crate) fn sentence(&self) -> String {
        let verb = if self.tool.is_some() { "call" } else { "run" };
        format!("{verb} {}", self.line())
    }
}

/// The details of words that would become a statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Words {
    pub(crate) category: Category,
    /// The directory they were said for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) directory: Option<String>,
    /// When and where they were said: the newest time in each session.
    #[serde(default, rename = "said")]
    pub(crate) sayings: Vec<Saying>,
    /// In how many sessions they were said.
    #[serde(default)]
    pub(crate) sessions: u32,
    /// The statement that would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<i64>,
    /// The statement made from them, or whatever replaced them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) successor: Option<i64>,
    /// The user's statement that they contradict. While it is in force, they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) against: Option<i64>,
    /// The places in files that they depend on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<Value>,
}

impl Content {
    /// Its stage; `None` for a change of a hint.
    pub(super) fn stage(&self) -> Option<Stage> {
        let words = self.matter.words()?;
        Some(match (self.state, &self.matter, self.action) {
            (State::Waiting, ProposalSubject::Statement(_), Action::Remember) => {
                let is_in_force = words.sessions >= SESSIONS_IN_FORCE && words.against.is_none();
                if is_in_force { Stage::InForce } else { Stage::SaidOnce }
            }
            (State::Waiting, _, _) => Stage::Waiting,
            (State::Accepted | State::Dropped | State::Replaced | State::Expired, _, _) => Stage::Over,
        })
    }

    /// Whether it is in force although nobody decided on it.
    pub(crate) fn is_in_force(&self) -> bool {
        self.stage() == Some(Stage::InForce)
    }
}
