//! How far an index reaches, stored in the payload of each of its commits.

use serde::{Deserialize, Serialize};

/// What a commit covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Coverage {
    /// The versions of analyzer and layout.
    pub(crate) version: (u32, u32),
    /// The store it was made from.
    pub(crate) lineage: u64,
    /// The index has all changes up to this feed position.
    pub(crate) position: i64,
    /// While it is being built: it has the entries up to this id and no later ones. `None` once it
    /// is complete.
    pub(crate) built_to: Option<i64>,
    /// Whether a purge has begun and segments may still contain what it removed. The next writer
    /// continues the purge.
    #[serde(default)]
    pub(crate) is_purging: bool,
    /// The highest id that was ever added; a higher one cannot be in the index.
    pub(crate) highest: i64,
}

impl Coverage {
    /// An empty index, to be built from the store as it is after `position`.
    pub(crate) fn empty(lineage: u64, position: i64) -> Self {
        Self {
            version: Self::current(),
            lineage,
            position,
            built_to: Some(i64::MIN),
            is_purging: false,
            highest: i64::MIN,
        }
    }

    /// The version that this program writes and reads.
    pub(crate) fn current() -> (u32, u32) {
        (crate::text::analyzer::VERSION, super::schema::VERSION)
    }

    pub(crate) fn from_payload(payload: Option<&str>) -> Option<Self> {
        serde_json::from_str(payload?).ok()
    }

    pub(crate) fn to_payload(&self) -> String {
        serde_json::to_string(self).expect("a few numbers are always JSON")
    }
}
