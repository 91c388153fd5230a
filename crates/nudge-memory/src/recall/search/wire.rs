//! The parameters and the answer of a search.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recall::place::ProjectParam;

/// Parameters of `search`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// Words, "phrases", prefix*, AND, OR, NOT.
    pub query: String,
    /// Project name, id or directory; "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    #[schemars(extend("x-listed" = "Project name, or \"*\" for all. Default: this one."))]
    pub project: ProjectParam,
    /// Only this kind, e.g. command_error, user_prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub obs_type: Option<String>,
    /// Maximum rows to return, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", extend("x-listed" = "Maximum rows, 1-100."))]
    pub limit: Option<i64>,
    /// Rows to skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", extend("x-listed" = ""))]
    pub offset: Option<i64>,
    /// Order: "relevance" (default) or "blended", which favours recent rows.
    #[serde(default, rename = "orderBy", alias = "order_by", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OrderBy", extend("x-listed" = false))]
    pub order_by: Option<OrderBy>,
    /// Only this file: a path, or the end of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Only this session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("x-listed" = ""))]
    pub session: Option<String>,
    /// Only from this time on, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", extend("x-listed" = "Unix seconds."))]
    pub since: Option<i64>,
    /// Only up to this time, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", extend("x-listed" = false))]
    pub until: Option<i64>,
    /// "query" (default), "text" for plain text without operators, or "all" if every word must
    /// match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mode", extend("x-listed" = false))]
    pub mode: Option<Mode>,
}

/// Order of the rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderBy {
    /// Best match first.
    Relevance,
    /// 0.7 relevance and 0.3 recency.
    Blended,
}

/// How the query is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// As a query with operators.
    Query,
    /// As plain text.
    Text,
    /// As a query in which every word must match.
    All,
}

/// Answer of `search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchAnswer {
    /// Rows, best match first.
    pub results: Vec<SearchRow>,
    /// Matches in other projects, which are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Withheld")]
    pub withheld: Option<Withheld>,
    /// Matches in the calling session, which are not shown because they are in its context. Pass
    /// its id as `session` to search it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Withheld")]
    pub own_session: Option<Withheld>,
    /// For words without a match: the closest word that has one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub did_you_mean: BTreeMap<String, String>,
    /// True if no row has all the words; these have some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
    /// True if there are more rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Rows that were found and not returned, to keep the answer short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Withheld")]
    pub left_out: Option<Withheld>,
    /// How to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next: Option<String>,
}

/// Matches that are not shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withheld {
    /// Number of matches.
    pub count: i64,
    /// True if there are more: the count stopped here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowAnswer {
    /// Id of the conclusion or commit.
    pub id: i64,
    /// Its text, abridged.
    pub text: String,
}

/// A search result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRow {
    /// Id, for get_observations and timeline.
    pub id: i64,
    /// Time, in Unix seconds.
    pub timestamp: i64,
    /// Time, as text.
    #[serde(default)]
    pub at: String,
    /// Kind of observation.
    pub obs_type: String,
    /// For a request: what the agent concluded about it, or what it committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RowAnswer")]
    pub answer: Option<RowAnswer>,
    /// Text around the matching words; for a failed command its output, for a commit its message.
    pub content_preview: String,
    /// Line of the text where the preview begins, if not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub line: Option<i64>,
    /// True if it has only some of the words and earlier rows have all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The file it is about.
    pub file_path: Option<String>,
    /// Session id.
    pub session_id: Option<String>,
    /// Name of the project, if several were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub project: Option<String>,
    /// For a note or statement: who stated it and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stated_by: Option<String>,
    /// For a failed command: what ran or changed next and passed, and how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub followed: Option<String>,
    /// Query words that it matches; `title:` marks words in its first line.
    pub why: String,
    /// Cost of the whole entry in tokens.
    pub tokens: i64,
}
