//! Lists that a caller may also write as a single string.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One string, or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// The items as a list.
    pub fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }

    /// The shortest way to write the list; `None` when it is empty.
    pub fn from_vec(mut list: Vec<String>) -> Option<Self> {
        match list.len() {
            0 => None,
            1 => Some(Self::One(list.remove(0))),
            _ => Some(Self::Many(list)),
        }
    }
}
