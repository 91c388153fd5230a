//! A decision as people and programs see it.

use std::collections::BTreeMap;

use nudge_context::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether anything is injected with a prompt, and what decided it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// True if something is injected.
    pub speaks: bool,
    /// Confidence score, 0 to 1.
    pub score: f32,
    /// Minimum score at which something is injected.
    pub least: f32,
    /// Inputs of the score, by name.
    pub features: BTreeMap<String, f32>,
}

impl From<&Decision> for Decided {
    fn from(decision: &Decision) -> Self {
        let short = |value: f32| (value * 1_000.0).round() / 1_000.0;
        Self {
            speaks: decision.speaks,
            score: short(decision.score),
            least: decision.least,
            features: decision
                .features
                .iter()
                .map(|(name, value)| ((*name).to_owned(), short(*value)))
                .collect(),
        }
    }
}
