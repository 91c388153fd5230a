//! The types that callers send and receive; the schemas are generated from them.

mod conditions;
mod hint;
mod value;

pub use conditions::{Context, OneOrMany, Scope};
pub use hint::{
    Component, Explanation, Hint, HintRecord, Meta, Origin, Payload, RankedHint, SCHEMA_VERSION, Sensitivity,
    SourceClaim, Variants,
};
pub use value::Value;

pub use crate::statements::proposals::ProposalNote;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `set_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetParams {
    /// Service, module or folder.
    #[schemars(length(min = 1))]
    pub component: String,
    /// Name of the fact, e.g. "build".
    #[schemars(length(min = 1))]
    pub key: String,
    /// Text, or an object (`?` marks an optional field): `{type:"command",cmd,shell?}`,
    /// `{type:"path",abs,os?}`, `{type:"template",format,body,defaults?}` or `{type:"json",data}`.
    #[schemars(extend(
        "x-listed" = "Text, or {type:\"command\",cmd}, {type:\"path\",abs}, {type:\"json\",data}."
    ))]
    pub value: Value,
    /// Reason, tags, lifetime, conditions and other metadata.
    #[serde(
        default,
        deserialize_with = "conditions::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("x-listed" = ""))]
    pub meta: Option<Meta>,
    /// Write only if this is the current version; 0 only if the hint is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("x-listed" = false))]
    pub if_match_version: Option<i64>,
    /// The user's override of the secret guard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub allow_secret: bool,
}

/// Answer of `set_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SetAnswer {
    /// The hint as it is now; absent if you may not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Present when nothing changed: the change waits for the user's decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalNote>,
}

/// Answer of `bump`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HintAnswer {
    /// The hint as it is now.
    pub hint: Hint,
}

/// Parameters of `get_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetParams {
    /// Service, module or folder.
    #[schemars(length(min = 1))]
    pub component: String,
    /// Name of the fact, e.g. "build".
    #[schemars(length(min = 1))]
    pub key: String,
    /// Where you are. Omitted fields are filled in.
    #[serde(
        default,
        deserialize_with = "conditions::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub context: Option<Context>,
}

/// Answer of `get_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetAnswer {
    /// The best variant for this context.
    pub hint: Hint,
    /// Why this variant matched.
    pub match_explain: Explanation,
}

/// Parameters of `query`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryParams {
    /// Only this component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Only these keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Only hints with all of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Regular expression on component, key, value and reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Where you are. Omitted fields are filled in.
    #[serde(
        default,
        deserialize_with = "conditions::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub context: Option<Context>,
    /// Maximum hints to return, 1-200. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<i64>,
}

/// Answer of `query`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueryAnswer {
    /// Matching hints, best first.
    pub hints: Vec<RankedHint>,
    /// How many hints matched the filters but were not returned.
    pub left_out: LeftOut,
}

/// Why a query did not return more hints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Hints with conditions that are not true here.
    pub not_eligible: i64,
    /// Hints beyond the limit.
    pub over_limit: i64,
    /// Hints marked secret, which this caller may not read.
    pub secret: i64,
    /// Hints that cannot be read; the user can run `nudge doctor`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: i64,
}

/// Parameters of `delete_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteParams {
    /// Service, module or folder.
    #[schemars(length(min = 1))]
    pub component: String,
    /// Name of the fact, e.g. "build".
    #[schemars(length(min = 1))]
    pub key: String,
    /// Where you are; selects the variant.
    #[serde(
        default,
        deserialize_with = "conditions::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub context: Option<Context>,
}

/// Answer of `delete_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeleteAnswer {
    /// True if the hint was deleted.
    pub deleted: bool,
    /// The hint as it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Hint>,
    /// Present when nothing changed: the deletion waits for the user's decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalNote>,
}

/// Parameters of `bump`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BumpParams {
    /// Service, module or folder.
    #[schemars(length(min = 1))]
    pub component: String,
    /// Name of the fact, e.g. "build".
    #[schemars(length(min = 1))]
    pub key: String,
    /// How much to add to the use count, 1-1000. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub delta: Option<i64>,
    /// Where you are; selects the variant.
    #[serde(
        default,
        deserialize_with = "conditions::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub context: Option<Context>,
}

/// Answer of `list_components`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComponentsAnswer {
    /// Components, sorted by name.
    pub components: Vec<ComponentRow>,
}

/// One component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentRow {
    /// Name of the component.
    pub name: String,
    /// Number of hints; each variant counts.
    pub hint_count: i64,
}

/// Parameters of `list_keys`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeysParams {
    /// Service, module or folder.
    #[schemars(length(min = 1))]
    pub component: String,
}

/// Answer of `list_keys`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeysAnswer {
    /// The component.
    pub component: String,
    /// Hints, sorted by key, then by conditions.
    pub hints: Vec<KeyRow>,
}

/// One variant in a list, with a preview of its value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeyRow {
    /// The key.
    pub key: String,
    /// Conditions under which this variant applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Kind of value: `text`, `command`, `path`, `template` or `json`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who stated it and where.
    #[serde(default)]
    pub stated_by: String,
    /// Start of the value; absent if it is secret, or if an agent asks and it does not apply here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// True if the value is marked secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Version number.
    pub version: i64,
    /// How often it was used.
    pub use_count: i64,
    /// Time it was last set.
    pub updated_at: String,
}

/// Parameters of `export`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportParams {
    /// Export format: "json".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ExportFormat>,
    /// Only this component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The user's request to include secret values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub include_secrets: bool,
}

/// Formats of an export.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// JSON.
    Json,
}

/// Answer of `export`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportAnswer {
    /// The hints, as import reads them.
    pub payload: Payload,
    /// Number of secret hints left out.
    pub secrets_left_out: i64,
    /// Number of hints left out because they do not apply here. Only agents are limited in this
    /// way.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_eligible: i64,
}

/// Parameters of `import`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportParams {
    /// The payload that export returned.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub payload: serde_json::Value,
    /// "merge" (default) keeps hints that are not in the payload; "replace" removes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ImportMode>,
}

/// What an import does with hints that are not in the payload.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportMode {
    /// Keep them.
    Merge,
    /// Remove them. Only the user may do this.
    Replace,
}

/// Answer of `import`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportAnswer {
    /// Number of variants that are new or changed.
    pub imported: i64,
    /// Number of variants that were already there, unchanged.
    pub skipped: i64,
    /// Number of variants that a replacing import removed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: i64,
    /// Number of changes to the user's hints that wait for the user's decision.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proposed: i64,
}

fn is_zero(count: &i64) -> bool {
    *count == 0
}

/// Answer of `hint_stats`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsAnswer {
    /// Number of live hints; each variant counts.
    pub hints: i64,
    /// Number of components with live hints.
    pub components: i64,
    /// Maximum number of hints.
    pub max_hints: i64,
    /// Most frequent tags.
    pub top_tags: Vec<TagCount>,
    /// Most used hints.
    pub most_used: Vec<UseCount>,
}

/// A tag and how many hints have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// Number of hints with this tag.
    pub hints: i64,
}

/// A hint and how often it was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UseCount {
    /// The component.
    pub component: String,
    /// The key.
    pub key: String,
    /// How often it was used.
    pub use_count: i64,
    /// Time it was last used.
    pub last_used_at: Option<String>,
}
