//! A hint as callers see it.

use nudge_core::rank;
use nudge_core::{Hint as CoreHint, Provenance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::meta::Meta;
use super::object;
use super::value::Value;

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
    #[serde(default, deserialize_with = "object::required")]
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
        if self.meta.sensitivity == Some(super::meta::Sensitivity::Secret) {
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
