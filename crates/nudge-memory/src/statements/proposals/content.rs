//! What a proposal holds.

use nudge_store::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::statements::category::Category;
use crate::statements::saying::Saying;

/// In how many sessions the person must have said something for it to hold undecided.
const SESSIONS_IN_FORCE: u32 = 2;

/// What is proposed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// To set a hint.
    Set,
    /// To delete one.
    Delete,
    /// To take what the person said as a statement.
    Remember,
    /// To put other words in the place of a statement.
    Correct,
    /// To give a statement up.
    Forget,
}

impl Action {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Delete => "delete",
            Self::Remember => "remember",
            Self::Correct => "correct",
            Self::Forget => "forget",
        }
    }
}

/// Where a proposal stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The person has not decided.
    Waiting,
    /// The person made the change.
    Accepted,
    /// The person turned it down.
    Dropped,
    /// The person said something else later.
    Replaced,
    /// Too many others came after it.
    Expired,
}

impl State {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Accepted => "accepted",
            Self::Dropped => "dropped",
            Self::Replaced => "replaced",
            Self::Expired => "expired",
        }
    }
}

/// What the attributes of a proposal hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) action: Action,
    pub(crate) state: State,
    /// Why it was not done at once.
    pub(crate) why: String,
    /// How often it was asked for, or said.
    pub(crate) times: i64,
    /// When that was last, in milliseconds since the epoch.
    pub(crate) asked_at: i64,
    /// What it is about.
    #[serde(flatten)]
    pub(crate) matter: Matter,
}

/// What a proposal is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Matter {
    /// A change of a hint.
    Edit(Edit),
    /// A statement, or a change of one. The body of the proposal has its words.
    Statement(Words),
    /// A request that came back in several sessions.
    Routine(Words),
}

impl Matter {
    /// The name of its kind.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Edit(_) => "edit",
            Self::Statement(_) => "statement",
            Self::Routine(_) => "routine",
        }
    }

    /// What is known of its words, where it is made of some.
    pub(crate) const fn words(&self) -> Option<&Words> {
        match self {
            Self::Edit(_) => None,
            Self::Statement(words) | Self::Routine(words) => Some(words),
        }
    }

    pub(super) const fn words_mut(&mut self) -> Option<&mut Words> {
        match self {
            Self::Edit(_) => None,
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
    /// What is said about it, in its wire form. The conditions are part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Value>,
}

/// What is known of words that would be a statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Words {
    pub(crate) category: Category,
    /// The directory they were said for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) directory: Option<String>,
    /// When and where they were said: the newest of each session.
    #[serde(default)]
    pub(crate) said: Vec<Saying>,
    /// In how many sessions.
    #[serde(default)]
    pub(crate) sessions: u32,
    /// The statement that would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<i64>,
    /// The statement that was made of them, or what took their place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) successor: Option<i64>,
    /// The person's statement that they speak against. While that one holds, they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) against: Option<i64>,
    /// The places in files that they depend on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<Value>,
}

impl Content {
    /// How far it has come, for one that is made of words.
    pub(super) fn stage(&self) -> Option<Stage> {
        let words = self.matter.words()?;
        Some(match (self.state, &self.matter, self.action) {
            (State::Waiting, Matter::Statement(_), Action::Remember) => {
                let is_in_force = words.sessions >= SESSIONS_IN_FORCE && words.against.is_none();
                if is_in_force { Stage::InForce } else { Stage::SaidOnce }
            }
            (State::Waiting, _, _) => Stage::Waiting,
            (State::Accepted | State::Dropped | State::Replaced | State::Expired, _, _) => Stage::Over,
        })
    }

    /// Whether it holds although nobody decided on it.
    pub(crate) fn is_in_force(&self) -> bool {
        self.stage() == Some(Stage::InForce)
    }
}
