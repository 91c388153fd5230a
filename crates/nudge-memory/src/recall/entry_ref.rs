//! How a caller refers to an observation.

use nudge_core::text::without_controls;
use nudge_core::{EntryId, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An observation id, as a number or a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an id: a number such as 42, or a path such as obs://42")]
pub enum EntryRef {
    /// The id.
    Number(i64),
    /// The path, e.g. `obs://42`, or the id as text.
    Path(String),
}

impl EntryRef {
    /// The entry referred to.
    pub fn id(&self) -> Result<EntryId, Fault> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Path(text) => {
                let text = text.trim();
                // `#42` is how injected text writes ids.
                let bare = ["obs://", "prompt://", "#"].iter().find_map(|scheme| text.strip_prefix(scheme));
                bare.unwrap_or(text).parse().ok()
            }
        };
        let shown = match self {
            Self::Number(number) => number.to_string(),
            Self::Path(text) => without_controls(text, 60),
        };
        number.filter(|number| *number > 0).map(EntryId).ok_or_else(|| {
            Fault::invalid("id", format!("`{shown}` is not an id"))
                .with("field", "ids")
                .next("use a number such as 42, or a path such as obs://42")
        })
    }
}
