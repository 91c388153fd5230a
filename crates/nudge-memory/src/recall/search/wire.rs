//! What a search is asked, and what it answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recall::place::ProjectParam;

/// What to search for, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// Words, "phrases", prefix*, AND, OR, NOT.
    pub query: String,
    /// "*": all. Default: here.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// E.g. command_error, user_prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub obs_type: Option<String>,
    /// 1-100 (20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub offset: Option<i64>,
    /// blended: with recency.
    #[serde(default, rename = "orderBy", alias = "order_by", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OrderBy")]
    pub order_by: Option<OrderBy>,
    /// Path or end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
    /// Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub since: Option<i64>,
    /// Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub until: Option<i64>,
    /// text: plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mode")]
    pub mode: Option<Mode>,
}

/// In which order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderBy {
    /// The best answer first.
    Relevance,
    /// 0.7 of that and 0.3 of how new it is.
    Blended,
}

/// How the words are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// As a query.
    Query,
    /// As text.
    Text,
    /// As a query whose words must all be there.
    All,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchAnswer {
    /// The best first.
    pub results: Vec<SearchRow>,
    /// What matches in other projects, and is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Withheld")]
    pub withheld: Option<Withheld>,
    /// How many match in the asking session itself, and are not shown: they are in its context. `session` names it to search it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Withheld")]
    pub own_session: Option<Withheld>,
    /// For words that nothing has: the nearest that something has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub did_you_mean: BTreeMap<String, String>,
    /// Whether nothing has all the words, and these have some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
    /// Whether there are more of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// What was not shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withheld {
    /// How many match.
    pub count: i64,
    /// Whether there are more: they were counted no further.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRow {
    /// For get_observations and timeline.
    pub id: i64,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// The same as text.
    #[serde(default)]
    pub at: String,
    /// Its type.
    pub obs_type: String,
    /// The text around the words that were found; of a failed command what it said, of a commit its message.
    pub content_preview: String,
    /// The line of its text that this begins on, where that is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub line: Option<i64>,
    /// Whether it has only some of the words, and rows before it have all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The file it is about.
    pub file_path: Option<String>,
    /// The session it is of.
    pub session_id: Option<String>,
    /// Its project, where several were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub project: Option<String>,
    /// Of a note or a memory: who stated it, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stated_by: Option<String>,
    /// Of a failed command: what followed it and passed, and how often that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub followed: Option<String>,
    /// The words of the query it has; `title:` for those in its first line.
    pub why: String,
    /// What get_observations costs for it.
    pub tokens: i64,
}
