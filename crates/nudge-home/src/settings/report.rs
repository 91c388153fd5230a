//! The resolved settings, and where each value came from.

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
    /// What was ignored and why: one sentence each.
    pub warnings: Vec<String>,
    /// Warnings that leave unclear what to keep out. While there is one, nothing is captured.
    pub unsure: Vec<String>,
}

/// One key as `nudge config` shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeyReport {
    /// Its name.
    pub key: &'static str,
    /// The value in force.
    pub value: Value,
    /// The default value.
    pub default: Value,
    /// The layer it came from.
    pub source: Origin,
    /// The values it accepts.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its environment variable.
    pub env: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// What a project file may do with it.
    pub project: &'static str,
}

/// The layer a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// No layer sets it.
    Default,
    /// The user's configuration.
    File(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// An environment variable.
    Env(&'static str),
    /// A command-line flag.
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
