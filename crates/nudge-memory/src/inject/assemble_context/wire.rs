//! The parameters and the answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recall::ProjectParam;

/// Parameters of `assemble_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssembleParams {
    /// The task or prompt. Empty: only statements and hints.
    pub query: String,
    /// Types of context to include. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ContextType>")]
    pub context_types: Option<Vec<ContextType>>,
    /// Maximum items per type, 1-50. Default: 10; experiences 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Maximum tokens of the text, up to 20000. Default: 1500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub max_tokens: Option<i64>,
    /// Project name, id or directory; "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// A type of context.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextType {
    /// Statements, hints and notes.
    Memories,
    /// Prompts, agents' conclusions, and commands with their outcome.
    Experiences,
    /// Changes to files.
    Code,
    /// Commits.
    Commits,
    /// Lessons that summarise several experiences.
    Values,
}

impl ContextType {
    /// All types, in the order in which they appear in the text.
    pub const ALL: [Self; 5] = [Self::Memories, Self::Values, Self::Experiences, Self::Code, Self::Commits];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Experiences => "experiences",
            Self::Code => "code",
            Self::Commits => "commits",
            Self::Values => "values",
        }
    }
}

/// Answer of `assemble_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssembledContext {
    /// The text in Markdown; empty if nothing was found.
    pub markdown: String,
    /// Cost of the text in tokens, rounded up; never more than max_tokens.
    pub token_count: u32,
    /// Number of items.
    pub item_count: usize,
    /// True if items were shortened or left out to fit the budget.
    pub truncated: bool,
    /// Items, in the order of the text.
    pub items: Vec<AssembledItem>,
    /// Items that were found but left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutItem>,
    /// Tokens that each type was given and used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceShare>,
    /// Types that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedSource>,
}

/// An item in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssembledItem {
    /// Id, for get_observations.
    pub id: i64,
    /// Type of context.
    pub source: String,
    /// Cost of its line in tokens.
    pub tokens: u32,
    /// Why it is included.
    pub why: String,
    /// True if its text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// An item that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutItem {
    /// Entry id.
    pub id: i64,
    /// Type of context.
    pub source: String,
    /// Why it was left out.
    pub why: String,
}

/// Tokens of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceShare {
    /// Type of context.
    pub source: String,
    /// Tokens it was given.
    pub tokens: u32,
    /// Tokens it used.
    pub used: u32,
}

/// A type that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedSource {
    /// Type of context.
    pub source: String,
    /// Why it could not be read.
    pub why: String,
}
