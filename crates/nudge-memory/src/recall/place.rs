//! Where a caller wants to look: in its own project, in another, or everywhere.

use std::borrow::Cow;
use std::path::Path;

use nudge_core::Fault;
use nudge_store::{ProjectId, ProjectRow, Reader};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::caller::Ambient;
use crate::capture::project::{BY_NAME, STATED, key_of_name};
use crate::desk::Desk;
use crate::house::project_of_directory;
use crate::projects::{is_by_name, meant};

/// The word for every project, for callers whose clients cannot send null.
const EVERYWHERE: &str = "*";

/// The parameter `project`. Absent and null are not the same: the one is the caller's own project, the other all of them.
///
/// A field of this type needs `#[serde(default, skip_serializing_if = "ProjectParam::is_here")]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectParam {
    /// Not given: the project the caller stands in.
    #[default]
    Here,
    /// Null or `*`: all projects.
    All,
    /// A name, an id, a key or a directory.
    Named(String),
}

impl ProjectParam {
    /// Whether it is left out.
    pub const fn is_here(&self) -> bool {
        matches!(self, Self::Here)
    }
}

/// What a caller's project comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// This project.
    In(Place),
    /// All of them, and the caller said so.
    All,
    /// The caller stands where nothing was ever kept, or nobody knows where it stands.
    Nowhere,
}

/// A project, and the scopes that its entries lie in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The project. Its sessions are not counted.
    pub(crate) project: ProjectRow,
    /// One scope for each of its keys.
    pub(crate) scopes: Vec<i64>,
}

impl Asked {
    /// What the parameter means for this caller. A project that is named must exist.
    pub(crate) fn of(desk: &Desk<'_>, project: &ProjectParam) -> Result<Self, Fault> {
        let reader = desk.store();
        let found = match project {
            ProjectParam::All => return Ok(Self::All),
            ProjectParam::Named(text) => Some(named(reader, text)?),
            ProjectParam::Here => match own(desk)? {
                Some(id) => reader.project_uncounted(id)?,
                None => None,
            },
        };
        let Some(project) = found else { return Ok(Self::Nowhere) };
        let mut scopes = reader.scopes_of_project(project.id)?;
        let brought = by_name(reader, &project.name, &project.keys)?;
        if let Some(brought) = brought.filter(|brought| *brought != project.id) {
            scopes.extend(reader.scopes_of_project(brought)?);
        }
        Ok(Self::In(Place { project, scopes }))
    }
}

/// What was brought in for a project by its name alone, such as imported memories: it belongs to the project of that name,
/// wherever that lies. A directory that only calls itself so gets it where no other place has that name.
fn by_name(reader: &Reader<'_>, name: &str, keys: &[String]) -> Result<Option<ProjectId>, Fault> {
    let is_placed = |key: &String| !key.starts_with(STATED) && !key.starts_with(BY_NAME);
    if keys.iter().all(|key| key.starts_with(STATED))
        && reader.projects_called(name)?.iter().any(|other| other.keys.iter().any(is_placed))
    {
        return Ok(None);
    }
    Ok(reader.project_by_key(&key_of_name(name))?)
}

/// The project the caller's session began in; without a session that is known here, that of its directory.
fn own(desk: &Desk<'_>) -> Result<Option<ProjectId>, Fault> {
    let reader = desk.store();
    if let Some(name) = &desk.caller.session
        && let Some(session) = reader.agent_session_by_name(name)?
    {
        return Ok(Some(session.project));
    }
    if let Ambient::Here(context) = &desk.caller.ambient
        && let Some(dir) = context.cwd.as_deref().filter(|dir| dir.starts_with('/'))
    {
        let place = project_of_directory(Path::new(dir));
        let known = reader.project_by_key(&place.key)?;
        return match known {
            Some(id) => Ok(Some(id)),
            None => by_name(reader, &place.name, &[place.key]),
        };
    }
    Ok(desk.caller.project.as_deref().map(|key| reader.project_by_key(key)).transpose()?.flatten())
}

/// A directory is looked up as the places where agents work are; everything else as people name projects.
fn named(reader: &Reader<'_>, text: &str) -> Result<ProjectRow, Fault> {
    if text.starts_with('/')
        && let Some(id) = reader.project_by_key(&project_of_directory(Path::new(text)).key)?
        && let Some(row) = reader.project_uncounted(id)?
    {
        return Ok(row);
    }
    let (mut stated, mut placed): (Vec<_>, Vec<_>) =
        reader.projects_called(text)?.into_iter().partition(|row| is_by_name(&row.keys));
    match (placed.len(), stated.len()) {
        (1, _) => Ok(placed.swap_remove(0)),
        (0, 1) => Ok(stated.swap_remove(0)),
        _ => meant(reader, text),
    }
}

impl Serialize for ProjectParam {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Here | Self::All => serializer.serialize_none(),
            Self::Named(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for ProjectParam {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a project's name, id or directory, or null for all projects")]
        enum Said {
            Number(i64),
            Text(String),
        }
        Ok(match Option::<Said>::deserialize(deserializer)? {
            None => Self::All,
            Some(Said::Number(id)) => Self::Named(id.to_string()),
            Some(Said::Text(text)) if text.trim() == EVERYWHERE => Self::All,
            Some(Said::Text(text)) => Self::Named(text),
        })
    }
}

impl JsonSchema for ProjectParam {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ProjectParam".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "null"]})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Params {
        #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
        project: ProjectParam,
    }

    fn check(json: Value, expected: ProjectParam) {
        let params: Params = serde_json::from_value(json.clone()).expect("readable");
        assert_eq!(params.project, expected, "{json}");
        let back = serde_json::to_value(&params).expect("writable");
        assert_eq!(serde_json::from_value::<Params>(back).expect("readable"), params);
    }

    #[test]
    fn absent_is_here_and_null_is_everywhere() {
        check(json!({}), ProjectParam::Here);
        check(json!({"project": null}), ProjectParam::All);
        check(json!({"project": "*"}), ProjectParam::All);
        check(json!({"project": "api"}), ProjectParam::Named("api".to_owned()));
        check(json!({"project": 7}), ProjectParam::Named("7".to_owned()));
    }
}
