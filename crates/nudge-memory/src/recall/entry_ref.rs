//! How a caller names an observation.

use nudge_core::text::without_controls;
use nudge_core::{EntryId, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An observation, by its number or its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an id: a number such as 42, or a path such as obs://42")]
pub enum EntryRef {
    /// Its number.
    Number(i64),
    /// Its path, such as `obs://42`, or its number as text.
    Path(String),
}

impl EntryRef {
    /// The entry that is meant.
    pub fn id(&self) -> Result<EntryId, Fault> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Path(text) => {
                let text = text.trim();
                // `#42` is how ids stand in what agents are told.
                let bare = ["obs://", "prompt://", "#"].iter().find_map(|scheme| text.strip_prefix(scheme));
                bare.unwrap_or(text).parse().ok()
            }
        };
        let shown = match self {
            Self::Number(number) => number.to_string(),
            Self::Path(text) => without_controls(text, 60),
        };
        number.filter(|number| *number > 0).map(EntryId).ok_or_else(|| {
            Fault::invalid("id", format!("`{shown}` is not the id of an observation"))
                .with("field", "ids")
                .next("give a number such as 42, or a path such as obs://42")
        })
    }
}
