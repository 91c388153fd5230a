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
    /// Its entry's id.
    pub id: i64,
    /// The component.
    pub component: String,
    /// The key.
    pub key: String,
    /// What it says.
    pub value: Value,
    /// What was said about it.
    pub meta: Meta,
    /// Rises with every `set_hint`.
    pub version: i64,
    /// When it was first set.
    pub created_at: String,
    /// When it was last set.
    pub updated_at: String,
    /// When it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// How often it was used.
    pub use_count: i64,
    /// When it ends by the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Who stated it and where, such as "the person, in shop". Set by Nudge; `meta.source` is only a claim.
    #[serde(default)]
    pub stated_by: String,
    /// The surface it really came through.
    pub origin: Origin,
}

/// The surface that took a hint in. Set by Nudge, never by the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// `user`, `agent`, `tool-output` or `file-import`.
    pub source: String,
    /// `model`, `client`, `plugin` or `system`.
    pub tier: String,
    /// The program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The agent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A hint in an export: the record without its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HintRecord {
    /// What it says.
    pub value: Value,
    /// What was said about it.
    #[serde(default, deserialize_with = "object::required")]
    pub meta: Meta,
    /// Its version.
    #[serde(default = "first_version")]
    pub version: i64,
    /// When it was first set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it was last set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// When it was last used.
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
    /// Its score.
    pub score: f64,
    /// Why it is here.
    pub match_explain: Explanation,
}

/// Why a hint matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Whether it matched.
    pub matched: bool,
    /// 0 to 1, two places.
    pub score: f64,
    /// In words.
    pub reasons: Vec<String>,
}

impl From<rank::Explanation> for Explanation {
    fn from(explanation: rank::Explanation) -> Self {
        Self { matched: explanation.matched, score: explanation.score, reasons: explanation.reasons }
    }
}

impl Hint {
    /// A hint as callers see it.
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

    /// The same hint with its value struck out, for places where a secret must not go.
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
