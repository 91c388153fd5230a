//! The file that `export` writes and `import` reads.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hint::HintRecord;

/// The only payload version there is. A newer one is refused, not guessed at.
pub const SCHEMA_VERSION: &str = "1.0";

/// All hints, or some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Payload {
    /// "1.0".
    pub schema_version: String,
    /// When the memory session began.
    pub created_at: String,
    /// The memory session.
    pub session_id: String,
    /// By name.
    pub components: BTreeMap<String, Component>,
}

/// One component's hints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Component {
    /// By key.
    pub hints: BTreeMap<String, Variants>,
}

/// One hint as an object, several variants as a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Variants {
    /// The only one.
    One(Box<HintRecord>),
    /// Several.
    Many(Vec<HintRecord>),
}
