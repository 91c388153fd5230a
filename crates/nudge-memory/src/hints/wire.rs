//! What callers send and receive: the types the schemas are generated from.

mod conditions;
mod context;
mod hint;
mod list;
mod meta;
mod object;
mod payload;
mod value;

pub use conditions::Scope;
pub use context::Context;
pub use hint::{Explanation, Hint, HintRecord, Origin, RankedHint};
pub use list::OneOrMany;
pub use meta::{Meta, Sensitivity, SourceClaim};
pub use payload::{Component, Payload, SCHEMA_VERSION, Variants};
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
    /// Text, or {type:"command",cmd,shell?}, {type:"path",abs,os?}, {type:"template",format,body,defaults?}, {type:"json",data}.
    pub value: Value,
    /// What to say about it.
    #[serde(default, deserialize_with = "object::optional", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Only if the version is this; 0: if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub if_match_version: Option<i64>,
    /// The person's override of the secret guard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub allow_secret: bool,
}

/// Answer of `set_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SetAnswer {
    /// The hint as it stands now; absent when you may not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Nothing was changed: the change waits for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalNote>,
}

/// Answer of `bump`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HintAnswer {
    /// The hint as it stands now.
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
    /// Where you stand; what is left out is filled in locally.
    #[serde(default, deserialize_with = "object::optional", skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// Answer of `get_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetAnswer {
    /// The best variant for the context.
    pub hint: Hint,
    /// Why this one.
    pub match_explain: Explanation,
}

/// Parameters of `query`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryParams {
    /// Only this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Only these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// All of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// On name, value and reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Where you stand.
    #[serde(default, deserialize_with = "object::optional", skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Maximum (10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<i64>,
}

/// Answer of `query`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueryAnswer {
    /// Best first.
    pub hints: Vec<RankedHint>,
    /// What matched the filters but was left out.
    pub left_out: LeftOut,
}

/// Why a query did not return more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Their conditions do not hold here.
    pub not_eligible: i64,
    /// Below the limit.
    pub over_limit: i64,
    /// Marked secret and not shown on this surface.
    pub secret: i64,
    /// Cannot be read; `nudge doctor` says more.
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
    /// Chooses a variant.
    #[serde(default, deserialize_with = "object::optional", skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// Answer of `delete_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeleteAnswer {
    /// Whether it is gone.
    pub deleted: bool,
    /// The hint as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Hint>,
    /// Nothing was deleted: the deletion waits for the person.
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
    /// How much (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub delta: Option<i64>,
    /// Chooses a variant.
    #[serde(default, deserialize_with = "object::optional", skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// Answer of `list_components`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComponentsAnswer {
    /// By name.
    pub components: Vec<ComponentRow>,
}

/// One component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentRow {
    /// Its name.
    pub name: String,
    /// How many hints it has, variants counted.
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
    /// By key, then by conditions.
    pub hints: Vec<KeyRow>,
}

/// One variant in a listing: enough to choose by, without its value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeyRow {
    /// The key.
    pub key: String,
    /// When this variant applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// `text`, `command`, `path`, `template` or `json`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who stated it and where.
    #[serde(default)]
    pub stated_by: String,
    /// The beginning of the value; absent when it is secret or does not apply where an agent asks from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Whether the value is marked secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Its version.
    pub version: i64,
    /// How often it was used.
    pub use_count: i64,
    /// When it was last set.
    pub updated_at: String,
}

/// Parameters of `export`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportParams {
    /// "json".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ExportFormat>,
    /// Only this component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The person's wish to have secret values too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub include_secrets: bool,
}

/// The formats of an export.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// JSON.
    Json,
}

/// Answer of `export`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportAnswer {
    /// What `import` takes.
    pub payload: Payload,
    /// Hints marked secret that were left out.
    pub secrets_left_out: i64,
    /// Hints that do not apply where you work, which agents do not get.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_eligible: i64,
}

/// Parameters of `import`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportParams {
    /// What `export` gave.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub payload: serde_json::Value,
    /// "merge" keeps what is not in the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ImportMode>,
}

/// What an import does with hints that are not in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportMode {
    /// Keeps them.
    Merge,
    /// Removes them; for the person only.
    Replace,
}

/// Answer of `import`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportAnswer {
    /// New or changed variants.
    pub imported: i64,
    /// Variants that were there already, unchanged.
    pub skipped: i64,
    /// Variants that a replacing import removed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: i64,
    /// Changes that wait for the person: they stated those hints.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proposed: i64,
}

fn is_zero(count: &i64) -> bool {
    *count == 0
}

/// Answer of `hint_stats`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsAnswer {
    /// Live hints, variants counted.
    pub hints: i64,
    /// Components with live hints.
    pub components: i64,
    /// The limit on hints.
    pub max_hints: i64,
    /// The most frequent tags.
    pub top_tags: Vec<TagCount>,
    /// The most used hints.
    pub most_used: Vec<UseCount>,
}

/// A tag and how many hints have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// Hints with it.
    pub hints: i64,
}

/// A hint and how often it was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UseCount {
    /// The component.
    pub component: String,
    /// The key.
    pub key: String,
    /// How often.
    pub use_count: i64,
    /// When last.
    pub last_used_at: Option<String>,
}
