//! A project as its directory describes it, before anything is stored for it.

use serde::{Deserialize, Serialize};

/// A project, as its directory describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProjectRef {
    /// Identifies its place.
    pub key: String,
    /// Its name, taken from the directory.
    pub name: String,
    /// Its root directory.
    pub root: String,
    /// What it declares about itself.
    #[serde(default, skip_serializing_if = "ProjectClaims::is_nothing")]
    pub said: ProjectClaims,
}

/// What a directory declares about its project. These are claims; alone, they never join two
/// places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProjectClaims {
    /// The name in its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The canonical remote address, if its settings give it a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether it is private.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Whether it uses strict redaction of credentials.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Whether the directory no longer exists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

impl ProjectClaims {
    /// Whether it declares nothing.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}
