//! A hint as callers see it, its metadata, and the file that `export` writes.

use std::collections::BTreeMap;

use nudge_core::hint::Sensitivity as CoreSensitivity;
use nudge_core::ttl::Ttl;
use nudge_core::{Fault, Hint as CoreHint, HintMeta, Provenance, named_enum, rank};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conditions::{self, Scope};
use super::value::Value;
use crate::hints::limits;

/// One variant of a hint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    /// Entry id.
    pub id: i64,
    /// The component.
    pub component: String,
    /// The key.
    pub key: String,
    /// The value: text, or an object with a `type`.
    pub value: Value,
    /// Reason, tags, lifetime, conditions and other metadata.
    pub meta: Meta,
    /// Version number; increases with every set_hint.
    pub version: i64,
    /// Time it was first set.
    pub created_at: String,
    /// Time it was last set.
    pub updated_at: String,
    /// Time it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// How often it was used.
    pub use_count: i64,
    /// Time it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Who stated it and where, e.g. "the person, in shop". Set by Nudge; `meta.source` is only a
    /// claim.
    #[serde(default)]
    pub stated_by: String,
    /// How the hint reached Nudge.
    pub origin: Origin,
}

/// How a hint reached Nudge. Set by Nudge, never by the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// `user`, `agent`, `tool-output` or `file-import`.
    pub source: String,
    /// `model`, `client`, `plugin` or `system`.
    pub tier: String,
    /// The client program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A hint in an export, without component and key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HintRecord {
    /// The value: text, or an object with a `type`.
    pub value: Value,
    /// Reason, tags, lifetime, conditions and other metadata.
    #[serde(default, deserialize_with = "conditions::required_object")]
    pub meta: Meta,
    /// Version number.
    #[serde(default = "first_version")]
    pub version: i64,
    /// Time it was first set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Time it was last set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Time it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// How often it was used.
    #[serde(default)]
    pub use_count: i64,
}

const fn first_version() -> i64 {
    1
}

/// A hint in a ranked list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RankedHint {
    /// The hint.
    pub hint: Hint,
    /// Ranking score, 0 to 1.
    pub score: f64,
    /// Why it matched.
    pub match_explain: Explanation,
}

/// Why a hint matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// True if it matched.
    pub matched: bool,
    /// Ranking score, 0 to 1, rounded to two decimals.
    pub score: f64,
    /// The reasons in words.
    pub reasons: Vec<String>,
}

impl From<rank::Explanation> for Explanation {
    fn from(explanation: rank::Explanation) -> Self {
        Self { matched: explanation.matched, score: explanation.score, reasons: explanation.reasons }
    }
}

impl Hint {
    /// Builds the wire form of a hint.
    pub fn of(hint: &CoreHint, stated_by: String) -> Self {
        Self {
            id: hint.id.0,
            component: hint.component.clone(),
            key: hint.key.clone(),
            value: Value(hint.value.clone()),
            meta: Meta::of(&hint.meta),
            version: hint.version,
            created_at: hint.created_at.to_string(),
            updated_at: hint.updated_at.to_string(),
            last_used_at: hint.last_used_at.map(|at| at.to_string()),
            use_count: hint.use_count,
            expires_at: hint.expires_at.map(|at| at.to_string()),
            stated_by,
            origin: Origin::of(&hint.writer),
        }
    }

    /// The same hint with its value removed, for callers that may not see a secret.
    #[must_use]
    pub fn without_secret(mut self) -> Self {
        if self.meta.sensitivity == Some(Sensitivity::Secret) {
            self.value = Value(nudge_core::HintValue::Text("[REDACTED]".to_owned()));
        }
        self
    }
}

impl From<&CoreHint> for HintRecord {
    fn from(hint: &CoreHint) -> Self {
        Self {
            value: Value(hint.value.clone()),
            meta: Meta::of(&hint.meta),
            version: hint.version,
            created_at: Some(hint.created_at.to_string()),
            updated_at: Some(hint.updated_at.to_string()),
            last_used_at: hint.last_used_at.map(|at| at.to_string()),
            use_count: hint.use_count,
        }
    }
}

impl Origin {
    fn of(provenance: &Provenance) -> Self {
        Self {
            source: provenance.source.name().to_owned(),
            tier: provenance.tier.name().to_owned(),
            client: provenance.client.clone(),
            session: provenance.session.clone(),
        }
    }
}

// The file that `export` writes and `import` reads.

/// The only payload version. A newer one is rejected.
pub const SCHEMA_VERSION: &str = "1.0";

/// An export of hints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Payload {
    /// Format version: "1.0".
    pub schema_version: String,
    /// Time the memory session began.
    pub created_at: String,
    /// Id of the memory session.
    pub session_id: String,
    /// Components, by name.
    pub components: BTreeMap<String, Component>,
}

/// The hints of one component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Component {
    /// Hints, by key.
    pub hints: BTreeMap<String, Variants>,
}

/// One hint as an object, or several variants as a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Variants {
    /// The only variant.
    One(Box<HintRecord>),
    /// Several variants.
    Many(Vec<HintRecord>),
}

// A hint's metadata on the wire.

/// Metadata of a hint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Why it is worth knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = ""))]
    pub reason: Option<String>,
    /// Words to find it by, for query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = ""))]
    pub tags: Option<Vec<String>>,
    /// Priority, 1-10. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10), extend("x-listed" = false))]
    pub priority: Option<i64>,
    /// Confidence, 0-1. Default: 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-listed" = false))]
    pub confidence: Option<f64>,
    /// Lifetime: "session" (default: until reboot or `nudge stop`), "forever", or an ISO-8601
    /// duration, e.g. "PT2H".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "\"session\" (default: until reboot), \"forever\" or e.g. \"PT2H\"."))]
    pub ttl: Option<String>,
    /// "secret" hides the value from agents, unless the user allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = false))]
    pub sensitivity: Option<Sensitivity>,
    /// Conditions under which the hint applies. Default: always.
    #[serde(
        default,
        deserialize_with = "conditions::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend(
        "x-listed" = "When it applies, e.g. {repo:\"shop\",branch:[\"hotfix/*\"],os:[\"linux\"],cwd_glob:[\"**/web\"]}."
    ))]
    pub scope: Option<Scope>,
    /// Where you got it from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = false))]
    pub source: Option<SourceClaim>,
    /// Your name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = false))]
    pub added_by: Option<String>,
}

/// Whether a value may be shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sensitivity {
    /// It may be shown.
    Normal,
    /// It is stored in its own row only, and shown only to callers who may read secrets.
    Secret,
}

named_enum! {
    /// Where the caller says the hint came from.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum SourceClaim {
        /// The user.
        User => "user",
        /// An agent.
        Agent => "agent",
        /// Output of a tool.
        ToolOutput => "tool-output",
        /// A file.
        FileImport => "file-import",
    }
}

impl Meta {
    /// Reads and checks the metadata.
    pub fn into_core(self) -> Result<HintMeta, Fault> {
        limits::check_priority(self.priority)?;
        limits::check_confidence(self.confidence)?;
        let given = self.tags.unwrap_or_default();
        limits::check_words(self.reason.as_deref(), self.added_by.as_deref(), &given)?;
        let mut tags = Vec::with_capacity(given.len());
        for tag in given {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Ok(HintMeta {
            reason: self.reason,
            tags,
            priority: self.priority,
            confidence: self.confidence,
            ttl: self.ttl.as_deref().map(Ttl::parse).transpose()?,
            sensitivity: self.sensitivity.map(|sensitivity| match sensitivity {
                Sensitivity::Normal => CoreSensitivity::Normal,
                Sensitivity::Secret => CoreSensitivity::Secret,
            }),
            conditions: self.scope.map(Scope::into_conditions).transpose()?.unwrap_or_default(),
            source_claim: self.source.map(|claim| claim.name().to_owned()),
            added_by: self.added_by,
        })
    }

    /// Fills in missing fields from the stored metadata: an update keeps what it does not mention.
    #[must_use]
    pub fn over(self, stored: &HintMeta) -> Self {
        let before = Self::of(stored);
        Self {
            reason: self.reason.or(before.reason),
            tags: self.tags.or(before.tags),
            priority: self.priority.or(before.priority),
            confidence: self.confidence.or(before.confidence),
            ttl: self.ttl.or(before.ttl),
            sensitivity: self.sensitivity.or(before.sensitivity),
            scope: self.scope,
            source: self.source.or(before.source),
            added_by: self.added_by.or(before.added_by),
        }
    }

    /// Reads stored metadata. Skips unknown fields, because a newer program may have written them;
    /// in a call they are rejected.
    pub fn from_stored(mut stored: serde_json::Value) -> Result<Self, serde_json::Error> {
        const FIELDS: [&str; 9] =
            ["reason", "tags", "priority", "confidence", "ttl", "sensitivity", "scope", "source", "added_by"];
        if let Some(fields) = stored.as_object_mut() {
            fields.retain(|name, _| FIELDS.contains(&name.as_str()));
        }
        serde_json::from_value(stored)
    }

    /// The wire form of stored metadata.
    pub fn of(meta: &HintMeta) -> Self {
        Self {
            reason: meta.reason.clone(),
            tags: (!meta.tags.is_empty()).then(|| meta.tags.clone()),
            priority: meta.priority,
            confidence: meta.confidence,
            ttl: meta.ttl.as_ref().map(|ttl| ttl.as_str().to_owned()),
            sensitivity: meta.sensitivity.map(|sensitivity| match sensitivity {
                CoreSensitivity::Normal => Sensitivity::Normal,
                CoreSensitivity::Secret => Sensitivity::Secret,
            }),
            scope: Scope::of(&meta.conditions),
            source: meta.source_claim.as_deref().and_then(SourceClaim::from_name),
            added_by: meta.added_by.clone(),
        }
    }
}
