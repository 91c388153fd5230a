//! A hint's conditions on the wire, under the name `scope`.

use std::collections::BTreeMap;

use nudge_core::text::without_controls;
use nudge_core::{Conditions, Fault, Os};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::OneOrMany;

/// When a hint applies: every condition given must be true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Globs that the working directory must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-listed" = ""))]
    pub cwd_glob: Vec<String>,
    /// Repository, or a list of repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = ""))]
    pub repo: Option<OneOrMany>,
    /// Branch names or globs, e.g. "hotfix/*".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branch: Vec<String>,
    /// Operating systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<System>")]
    pub os: Vec<String>,
    /// Environment variables that must be set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-listed" = "Variables that must be set."))]
    pub env_required: Vec<String>,
    /// Environment variables and their allowed values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-listed" = "Variables and their allowed values."))]
    pub env_match: BTreeMap<String, OneOrMany>,
}

impl Scope {
    /// Reads and checks the conditions.
    pub fn into_conditions(self) -> Result<Conditions, Fault> {
        let os = self.os.iter().map(|name| system(name)).collect::<Result<Vec<_>, _>>()?;
        let conditions = Conditions {
            cwd_glob: self.cwd_glob,
            repo: self.repo.map(OneOrMany::into_vec).unwrap_or_default(),
            branch: self.branch,
            os,
            env_required: self.env_required,
            env_match: self.env_match.into_iter().map(|(name, values)| (name, values.into_vec())).collect(),
        };
        conditions.validate()?;
        Ok(conditions)
    }

    /// The wire form; `None` if there are no conditions.
    pub fn of(conditions: &Conditions) -> Option<Self> {
        if conditions.is_empty() {
            return None;
        }
        let values = |(name, values): (&String, &Vec<String>)| {
            (name.clone(), OneOrMany::from_vec(values.clone()).unwrap_or(OneOrMany::Many(Vec::new())))
        };
        Some(Self {
            cwd_glob: conditions.cwd_glob.clone(),
            repo: OneOrMany::from_vec(conditions.repo.clone()),
            branch: conditions.branch.clone(),
            os: conditions.os.iter().map(|os| os.name().to_owned()).collect(),
            env_required: conditions.env_required.clone(),
            env_match: conditions.env_match.iter().map(values).collect(),
        })
    }
}

/// Operating systems, for schemas. Other spellings are accepted on input.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum System {
    Linux,
    Darwin,
    Windows,
}

pub(super) fn system(name: &str) -> Result<Os, Fault> {
    Os::from_name(name).ok_or_else(|| {
        let shown = without_controls(name, 40);
        Fault::invalid("os", format!("unknown system `{shown}`: use linux, darwin or windows"))
            .with("field", "os")
    })
}
