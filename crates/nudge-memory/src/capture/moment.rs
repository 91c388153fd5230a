//! A moment: one thing that happened in an agent's session, ready to be kept.

use nudge_core::{ObservationKind, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::anchors::Anchor;
use crate::projects::ProjectRef;

/// One thing that happened. It is small whatever the payload was, and it is what crosses processes: new
/// fields need a default, because the process at the other end may be older.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The adapter that read it.
    pub harness: String,
    /// The version of the agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness_version: Option<String>,
    /// The event, as that program calls it.
    pub event: String,
    /// The program's own session id.
    pub session: String,
    /// The project it happened in.
    pub project: ProjectRef,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// When it happened, in milliseconds since the epoch.
    pub at: i64,
    /// What makes it this one and no other.
    pub identity: Identity,
    /// The program's id of the prompt or turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The subagent it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// Whether no person watches the agent; `None` when not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
    /// The file the program keeps the conversation in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The worktree it happened in, when that is not the project's main one. Told where a session begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The canonical address that the project is shared under. Told where a session begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The branch that was checked out. Told where a session begins and ends, and where the agent ends its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Where in the agent's turn it happened.
    #[serde(default, skip_serializing_if = "Phase::is_other")]
    pub phase: Phase,
    /// The way it came.
    pub via: Via,
    /// What happened.
    pub what: What,
}

/// Where in an agent's turn something happened.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The agent is about to use a tool.
    BeforeTool,
    /// The agent has used a tool.
    AfterTool,
    /// The agent has ended its turn, and waits for the person.
    TurnEnded,
    /// Somewhere else.
    #[default]
    #[serde(other)]
    Other,
}

impl Phase {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_other(&self) -> bool {
        *self == Self::Other
    }
}

/// What makes a moment this one and no other.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Equal for the same moment, however often and by whichever way it is told.
    pub hash: i64,
    /// Where the program gives neither an id nor a time, equal moments are the same only within this many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<i64>,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// Its id.
    pub id: String,
    /// What sort of agent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The agent or session that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// The way a moment came.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A hook, while it happened.
    Hook,
    /// The session's own transcript, while the session runs: what hooks do not tell.
    Transcript,
    /// A transcript, afterwards: known already when session, kind and input agree within five seconds.
    Import,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum What {
    /// A session began, or its context was filled anew.
    Start {
        /// `startup`, `resume`, `clear`, `compact`, `fork`, or what the program said.
        source: String,
        /// The language model at work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A command is about to run. Nothing is kept of it.
    About {
        /// The command line.
        command: String,
    },
    /// A session ended.
    End {
        /// Why, in the program's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Somebody said something.
    Prompt {
        /// What, without private spans and without what Nudge put there.
        text: String,
        /// Who.
        by: By,
    },
    /// The person said something other than by a prompt.
    Said {
        /// What, without private spans and without what Nudge put there.
        text: String,
        /// How: the name of a [`nudge_core::event::Manner`].
        manner: String,
        /// What it was said to: the call that was refused, the question, the command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        /// The program's id of the call that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// The agent did something.
    Action(Action),
    /// The agent ended its turn with these words.
    Concluded {
        /// Its last words, without private spans and without what Nudge put there.
        text: String,
        /// The places in files that they are about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        anchors: Vec<Anchor>,
    },
    /// The context was compacted.
    Compact {
        /// By whom: `manual` or `auto`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<String>,
        /// Whether it is only about to be.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ahead: bool,
    },
    /// A subagent began. Nothing is kept of it; it may get something.
    Subagent,
    /// Nothing that is kept; the session was seen, and its transcript may have grown.
    Seen,
}

/// Who said something.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The person.
    User,
    /// The agent, thinking.
    Agent,
    /// The agent's own program.
    System,
}

/// Something the agent did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// What sort of thing.
    #[serde(with = "kind_name")]
    pub kind: ObservationKind,
    /// The tool, as the program calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The program's id of the call: how its outcome is found later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What is searched and shown: a command line, a path, a query, an address.
    pub body: String,
    /// The files it touched, absolute where that is known; the first is the one it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How it ended.
    #[serde(default = "unknown", with = "outcome_json")]
    pub outcome: Outcome,
    /// What else is known, such as the changed lines or the parts of a commit.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

const fn unknown() -> Outcome {
    Outcome::Unknown
}

mod kind_name {
    use nudge_core::ObservationKind;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(kind: &ObservationKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ObservationKind, D::Error> {
        let name = String::deserialize(from)?;
        ObservationKind::from_name(&name).ok_or_else(|| D::Error::custom("no such kind of observation"))
    }
}

/// `"success"`, `"failed"`, `"unknown"`, or the exit status of a failure.
mod outcome_json {
    use nudge_core::Outcome;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(outcome: &Outcome, to: S) -> Result<S::Ok, S::Error> {
        match outcome {
            Outcome::Success => to.serialize_str("success"),
            Outcome::Failed { exit: None } => to.serialize_str("failed"),
            Outcome::Failed { exit: Some(status) } => to.serialize_i32(*status),
            Outcome::Unknown => to.serialize_str("unknown"),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
        Ok(match Value::deserialize(from)? {
            Value::String(word) if word == "success" => Outcome::Success,
            Value::String(word) if word == "failed" => Outcome::Failed { exit: None },
            Value::Number(status) => {
                Outcome::Failed { exit: status.as_i64().and_then(|n| i32::try_from(n).ok()) }
            }
            _ => Outcome::Unknown,
        })
    }
}
