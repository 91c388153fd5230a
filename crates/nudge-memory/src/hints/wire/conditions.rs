//! A hint's conditions on the wire, under the name `scope`, and the caller's place.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use nudge_core::text::without_controls;
use nudge_core::{Conditions, Context as Facts, EnvView, Fault, Os};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// When a hint applies: every condition given must be true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Globs that the working directory must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-listed" = false))]
    pub cwd_glob: Vec<String>,
    /// Repository, or a list of repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = false))]
    pub repo: Option<OneOrMany>,
    /// Branch names or globs, e.g. "hotfix/*".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-listed" = false))]
    pub branch: Vec<String>,
    /// Operating systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<System>", extend("x-listed" = false))]
    pub os: Vec<String>,
    /// Environment variables that must be set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-listed" = false))]
    pub env_required: Vec<String>,
    /// Environment variables and their allowed values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-listed" = false))]
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

// The caller's place, on the wire.

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

// Lists that a caller may also write as a single string.

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

// Objects that must be written as objects. A derived reader also accepts a list of the fields in
// order, so `"meta": []` would pass for empty metadata.

/// An object.
pub(super) fn required_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Object(PhantomData))
}

/// An object, or nothing.
pub(super) fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Required<T>>::deserialize(deserializer)?.map(|object| object.0))
}

struct Required<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Required<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        required_object(deserializer).map(Self)
    }
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::hints::wire::{HintRecord, SetParams};

    #[test]
    fn a_list_is_no_object() {
        for meta in [json!([]), json!(["why"]), json!("x"), json!(1), json!({"scope": []})] {
            let params = json!({"component": "a", "key": "b", "value": "c", "meta": meta});
            assert!(serde_json::from_value::<SetParams>(params).is_err(), "{meta}");
            assert!(
                serde_json::from_value::<HintRecord>(json!({"value": "c", "meta": meta})).is_err(),
                "{meta}"
            );
        }
    }

    #[test]
    fn an_object_null_and_absence_are_fine_and_a_bad_field_is_named() {
        for meta in [json!({}), json!(null), json!({"scope": null}), json!({"scope": {"os": ["linux"]}})] {
            let params = json!({"component": "a", "key": "b", "value": "c", "meta": meta});
            assert!(serde_json::from_value::<SetParams>(params).is_ok(), "{meta}");
        }
        let params = json!({"component": "a", "key": "b", "value": "c", "meta": {"scope": {"os": 7}}});
        let error = serde_path_to_error::deserialize::<_, SetParams>(params).expect_err("refused");
        assert_eq!(error.path().to_string(), "meta.scope.os");
    }
}
