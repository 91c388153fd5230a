//! A captured event: one thing that happened in an agent's session, ready to be stored.

use nudge_core::{ObservationKind, Outcome, Speaker, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::anchors::Anchor;
use crate::projects::ProjectRef;

/// One thing that happened. It is small regardless of the payload's size. It crosses process
/// boundaries, so new fields need a default: the other process may be older.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapturedEvent {
    /// The adapter that read it.
    pub harness: String,
    /// The version of the agent program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness_version: Option<String>,
    /// The event's name in the agent program.
    pub event: String,
    /// The agent program's session id.
    pub session: String,
    /// The project it happened in.
    pub project: ProjectRef,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// When it happened, in milliseconds since the epoch.
    pub at: i64,
    /// Distinguishes this event from every other.
    pub identity: Identity,
    /// The agent program's id of the prompt or turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The subagent it happened in; `None` for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// Whether the agent runs without a user watching; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
    /// The file in which the agent program records the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The worktree it happened in, if that is not the project's main one. Reported at the start of
    /// a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The canonical remote address that identifies the project. Reported at the start of a
    /// session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The branch that was checked out. Reported at the start and end of a session, and when the
    /// agent ends its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Where in the agent's turn it happened.
    #[serde(default, skip_serializing_if = "Phase::is_other")]
    pub phase: Phase,
    /// How it was captured.
    pub via: CapturedVia,
    /// What happened.
    pub what: EventBody,
}

/// Where in an agent's turn something happened.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The agent is about to use a tool.
    BeforeTool,
    /// The agent has used a tool.
    AfterTool,
    /// The agent has ended its turn and waits for the user.
    TurnEnded,
    /// Anywhere else.
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

/// Distinguishes a captured event from every other.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Equal for the same event, however often and by whichever way it is captured.
    pub hash: i64,
    /// Set when the agent program gives neither an id nor a time: equal hashes then mean the same
    /// event only within this many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<i64>,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// Its id.
    pub id: String,
    /// The kind of agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The agent or session that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// How an event was captured.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapturedVia {
    /// By a hook, as it happened.
    Hook,
    /// From the session's transcript while the session runs, for what hooks do not report.
    Transcript,
    /// From a transcript afterwards. The event counts as already known if session, kind and input
    /// match within five seconds.
    Import,
    /// The same from a transcript of the user's own: the user speaks in it.
    OwnImport,
}

impl CapturedVia {
    /// Whether it happened before Nudge was there.
    pub(crate) fn is_import(self) -> bool {
        matches!(self, Self::Import | Self::OwnImport)
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum EventBody {
    /// A session began, or its context was refilled.
    Start {
        /// `startup`, `resume`, `clear`, `compact`, `fork`, or the agent program's own word.
        source: String,
        /// The language model in use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A command is about to run. It is not stored.
    About {
        /// The command line.
        command: String,
    },
    /// A session ended.
    End {
        /// The reason, in the agent program's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Someone sent a prompt.
    Prompt {
        /// The text, without private spans and without anything Nudge injected.
        text: String,
        /// Who sent it.
        #[serde(with = "speaker_name")]
        by: Speaker,
    },
    /// The user said something other than in a prompt.
    Said {
        /// The text, without private spans and without anything Nudge injected.
        text: String,
        /// How it was said: the name of a [`nudge_core::Speaker`].
        manner: String,
        /// What it responds to: the rejected call, the question, the command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        /// The agent program's id of the call it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// The agent did something.
    Action(Action),
    /// The agent ended its turn with this message.
    Concluded {
        /// The message, without private spans and without anything Nudge injected.
        text: String,
        /// The places in files that the message is about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        anchors: Vec<Anchor>,
    },
    /// The context was compacted.
    Compact {
        /// What triggered it: `manual` or `auto`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<String>,
        /// Whether the compaction is yet to happen.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ahead: bool,
    },
    /// A subagent began. It is not stored, but hints may be injected into it.
    Subagent,
    /// Nothing to store, but the session was active and its transcript may have grown.
    Seen,
}

/// Something the agent did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The kind of action.
    #[serde(with = "kind_name")]
    pub kind: ObservationKind,
    /// The tool's name in the agent program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The agent program's id of the call, used to find its outcome later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The text that is searched and shown: a command line, a path, a query, an address.
    pub body: String,
    /// The files it touched, as absolute paths where known; the first is the main one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How it ended.
    #[serde(default = "unknown", with = "outcome_json")]
    pub outcome: Outcome,
    /// Further details, such as the changed lines or the parts of a commit.
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

mod speaker_name {
    use nudge_core::Speaker;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(speaker: &Speaker, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(speaker.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Speaker, D::Error> {
        let name = String::deserialize(from)?;
        Speaker::from_name(&name).ok_or_else(|| D::Error::custom("no such speaker"))
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

// What is known about an event besides its payload.

/// What the process that reads an event knows and the payload does not contain.
#[derive(Clone, Debug)]
pub struct ReadContext {
    /// The current time, for events without one.
    pub now: Timestamp,
    /// The project of the event's directory.
    pub project: ProjectRef,
    /// Whether the agent runs without a user watching; `None` if unknown.
    pub headless: Option<bool>,
    /// How the event was captured.
    pub via: CapturedVia,
    /// Nudge's own directory. Actions on files in it are not captured.
    pub own_root: Option<String>,
    /// Whether a tool with this name is one of Nudge's own. Calls to those are not captured.
    pub is_own_tool: fn(&str) -> bool,
}
