//! A decision as people and programs see it.

use std::collections::BTreeMap;

use nudge_context::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether something is said with a prompt, and what decided it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// Whether something is said.
    pub speaks: bool,
    /// How sure that is, from 0 to 1.
    pub score: f32,
    /// From which score on something is said.
    pub least: f32,
    /// The figures that the score was made of, by their names.
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
