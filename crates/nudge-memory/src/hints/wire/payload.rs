//! The file that `export` writes and `import` reads.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hint::HintRecord;

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
