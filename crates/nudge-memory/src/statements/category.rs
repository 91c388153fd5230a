//! Categories of statements.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of statements.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// How someone wants things done.
    Preference,
    /// How things are.
    #[default]
    Fact,
    /// Something that happened.
    Event,
    /// The steps of a task.
    Workflow,
    /// Background of a piece of work.
    Context,
    /// Something that went wrong, and why.
    Error,
    /// Something that was decided.
    Decision,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 7] = [
        Self::Preference,
        Self::Fact,
        Self::Event,
        Self::Workflow,
        Self::Context,
        Self::Error,
        Self::Decision,
    ];

    /// Its stored name.
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

    /// The category with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}
