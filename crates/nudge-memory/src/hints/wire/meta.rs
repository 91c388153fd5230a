//! A hint's metadata on the wire.

use nudge_core::hint::Sensitivity as CoreSensitivity;
use nudge_core::ttl::Ttl;
use nudge_core::{Fault, HintMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conditions::Scope;
use super::object;
use crate::hints::limits;

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
    #[schemars(range(min = 1, max = 10), extend("x-listed" = "1-10 (5)."))]
    pub priority: Option<i64>,
    /// Confidence, 0-1. Default: 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-listed" = "0-1 (0.5)."))]
    pub confidence: Option<f64>,
    /// Lifetime: "session" (default: until reboot or `nudge stop`), "forever", or an ISO-8601
    /// duration, e.g. "PT2H".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "\"session\" (default: until reboot or `nudge stop`), \"forever\", or ISO-8601, e.g. \"PT2H\"."))]
    pub ttl: Option<String>,
    /// "secret" hides the value from agents, unless the user allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "\"secret\" hides the value."))]
    pub sensitivity: Option<Sensitivity>,
    /// Conditions under which the hint applies. Default: always.
    #[serde(default, deserialize_with = "object::optional", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "When it applies."))]
    pub scope: Option<Scope>,
    /// Where you got it from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = ""))]
    pub source: Option<SourceClaim>,
    /// Your name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = ""))]
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

/// Where the caller says the hint came from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceClaim {
    /// The user.
    User,
    /// An agent.
    Agent,
    /// Output of a tool.
    ToolOutput,
    /// A file.
    FileImport,
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
    pub fn from_stored(mut said: serde_json::Value) -> Result<Self, serde_json::Error> {
        const SAID: [&str; 9] =
            ["reason", "tags", "priority", "confidence", "ttl", "sensitivity", "scope", "source", "added_by"];
        if let Some(fields) = said.as_object_mut() {
            fields.retain(|name, _| SAID.contains(&name.as_str()));
        }
        serde_json::from_value(said)
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

impl SourceClaim {
    const ALL: [Self; 4] = [Self::User, Self::Agent, Self::ToolOutput, Self::FileImport];

    const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::ToolOutput => "tool-output",
            Self::FileImport => "file-import",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|claim| claim.name() == name)
    }
}
