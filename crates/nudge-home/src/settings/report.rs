//! What was resolved, and where each value came from.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Settings;

/// The settings in force, with their provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The settings.
    pub settings: Settings,
    /// Every key, in the order of the table.
    pub keys: Vec<KeyReport>,
    /// What was passed over and why: one sentence each.
    pub warnings: Vec<String>,
    /// Those of the warnings that leave open what is to be kept out. While there is one, nothing is captured.
    pub unsure: Vec<String>,
}

/// One key as `nudge config` shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeyReport {
    /// Its name.
    pub key: &'static str,
    /// The value in force.
    pub value: Value,
    /// The value when nobody says anything.
    pub default: Value,
    /// Who said it.
    pub source: Origin,
    /// What it takes.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its variable.
    pub env: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// What a project file may do with it.
    pub project: &'static str,
}

/// The layer a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// The person's configuration.
    File(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// A variable.
    Env(&'static str),
    /// A flag.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) | Self::Project(path) => path.display().fmt(f),
            Self::Env(name) => f.write_str(name),
            Self::Flag => f.write_str("flag"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
