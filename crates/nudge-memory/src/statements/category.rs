//! What sort of thing is stated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The categories of what is known.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// How somebody wants things done.
    Preference,
    /// How things are.
    #[default]
    Fact,
    /// What happened.
    Event,
    /// The steps in which something is done.
    Workflow,
    /// What else is to be known of a piece of work.
    Context,
    /// What went wrong, and why.
    Error,
    /// What was decided.
    Decision,
}

impl Category {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Preference,
        Self::Fact,
        Self::Event,
        Self::Workflow,
        Self::Context,
        Self::Error,
        Self::Decision,
    ];

    /// The word it is stored under.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Fact => "fact",
            Self::Event => "event",
            Self::Workflow => "workflow",
            Self::Context => "context",
            Self::Error => "error",
            Self::Decision => "decision",
        }
    }

    /// The one with that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}
