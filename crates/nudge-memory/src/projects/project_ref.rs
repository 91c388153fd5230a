//! A project as a directory tells it, before anything is stored of it.

use serde::{Deserialize, Serialize};

/// A project, as the directory says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProjectRef {
    /// What tells its place from all others.
    pub key: String,
    /// What it is called by its directory.
    pub name: String,
    /// Its topmost directory.
    pub root: String,
    /// What it says of itself.
    #[serde(default, skip_serializing_if = "Said::is_nothing")]
    pub said: Said,
}

/// What a directory says of its project: claims, which join nothing by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Said {
    /// What it calls itself in its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The canonical address it is shared under, where it calls itself something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether it is private.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Whether it is strict about credentials.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Whether the directory is not there any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

impl Said {
    /// Whether it says nothing.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}
