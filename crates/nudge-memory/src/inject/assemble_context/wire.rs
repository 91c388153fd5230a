//! What is asked, and what is answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recall::ProjectParam;

/// What the context is for, and how much it may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssembleParams {
    /// The task or prompt. Empty: only what is stated.
    pub query: String,
    /// Which types [default: all].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ContextType>")]
    pub context_types: Option<Vec<ContextType>>,
    /// Most items per type, 1-50 (10); experiences 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Most tokens of the text, up to 20000 (1500).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub max_tokens: Option<i64>,
    /// "*": all. Default: here.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// A type of context.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextType {
    /// What was stated: statements, hints, notes.
    Memories,
    /// What was asked, what agents concluded, commands and how they ended.
    Experiences,
    /// What was changed in files.
    Code,
    /// What was committed.
    Commits,
    /// What experiences were summed up to.
    Values,
}

impl ContextType {
    /// All, in the order in which they stand in the text.
    pub const ALL: [Self; 5] = [Self::Memories, Self::Values, Self::Experiences, Self::Code, Self::Commits];

    /// Its word.
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

/// The text, with its account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssembledContext {
    /// The text; empty when nothing was found.
    pub markdown: String,
    /// What it costs, counted high: never more than max_tokens.
    pub token_count: u32,
    /// How many items it has.
    pub item_count: usize,
    /// Whether items were cut or left out for the budget.
    pub truncated: bool,
    /// Its items, in their order.
    pub items: Vec<AssembledItem>,
    /// What was found and is not in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutItem>,
    /// What each type got of the budget, and used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceShare>,
    /// Types that could not be looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedSource>,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssembledItem {
    /// For get_observations.
    pub id: i64,
    /// Its type.
    pub source: String,
    /// What its line costs.
    pub tokens: u32,
    /// Why it is in it.
    pub why: String,
    /// Whether its text was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// One that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutItem {
    /// The entry.
    pub id: i64,
    /// Its type.
    pub source: String,
    /// Why.
    pub why: String,
}

/// What a type got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceShare {
    /// The type.
    pub source: String,
    /// How many tokens it was given.
    pub tokens: u32,
    /// How many it used.
    pub used: u32,
}

/// A type that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedSource {
    /// The type.
    pub source: String,
    /// Why.
    pub why: String,
}
