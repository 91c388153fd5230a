//! The caller's place, on the wire.

use std::collections::BTreeMap;

use nudge_core::Fault;
use nudge_core::{Context as Facts, EnvView, Os};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conditions::{System, system};

/// Where the caller is. Unknown fields are rejected, so that a misspelt field is noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Git branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<System>")]
    pub os: Option<String>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub env: Option<BTreeMap<String, Option<String>>>,
    /// Paths of open files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-listed" = ""))]
    pub files_open: Vec<String>,
}

impl Context {
    /// The operating system named, if any.
    pub fn system(&self) -> Result<Option<Os>, Fault> {
        self.os.as_deref().map(system).transpose()
    }

    /// The facts as stated, with nothing filled in.
    pub fn into_facts(self) -> Result<Facts, Fault> {
        let os = self.system()?;
        let env = match self.env {
            None => EnvView::Absent,
            Some(values) => EnvView::Complete(
                values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
            ),
        };
        Ok(Facts {
            cwd: self.cwd,
            repo: self.repo,
            branch: self.branch,
            os,
            env,
            files_open: self.files_open,
        })
    }
}
