//! Where a caller searches: in its own project, in another, or in all.

use std::borrow::Cow;

use nudge_core::Fault;
use nudge_store::{ProjectId, ProjectRow};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::capture::project::key_of_name;
use crate::operation::OpContext;
use crate::projects::{self, CallerPlace};
use crate::sessions::call_session;

/// The word for every project, for clients that cannot send null.
const EVERYWHERE: &str = "*";

/// The parameter `project`. Absent and null differ: absent is the caller's own project, null is all
/// of them.
///
/// A field of this type needs `#[serde(default, skip_serializing_if = "ProjectParam::is_here")]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectParam {
    /// Not given: the caller's project.
    #[default]
    Here,
    /// Null or `*`: all projects.
    All,
    /// A name, an id, a key or a directory.
    Named(String),
}

impl ProjectParam {
    /// Whether it is absent.
    pub const fn is_here(&self) -> bool {
        matches!(self, Self::Here)
    }
}

/// The resolved project parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// This project.
    In(ProjectScopes),
    /// All projects, by the caller's request.
    All,
    /// The caller is in a place without any entries, or its place is unknown.
    Nowhere,
}

/// The projects asked for that are open to the caller, for operations that return a list.
pub fn projects_meant(ctx: &OpContext<'_>, asked: &ProjectParam) -> Result<Vec<ProjectId>, Fault> {
    let found: Vec<ProjectId> = match Asked::for_list(ctx, asked)? {
        Asked::In(place) => vec![place.project.id],
        Asked::Nowhere => Vec::new(),
        Asked::All => ctx.store().projects()?.iter().map(|project| project.id).collect(),
    };
    // The user who names a private project opens it, so this comes after.
    let hidden = ctx.hidden()?;
    Ok(found.into_iter().filter(|project| !hidden.hide(*project)).collect())
}

/// A project, and the scopes of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProjectScopes {
    /// The project. Its sessions are not counted.
    pub(crate) project: ProjectRow,
    /// One scope for each of its keys.
    pub(crate) scopes: Vec<i64>,
}

impl Asked {
    /// The same for operations that return a list: an unknown project is empty, not an error.
    pub(crate) fn for_list(ctx: &OpContext<'_>, project: &ProjectParam) -> Result<Self, Fault> {
        match Self::of(ctx, project) {
            Err(fault) if fault.reason == Fault::NO_PROJECT => Ok(Self::Nowhere),
            asked => asked,
        }
    }

    /// Resolves the parameter for this caller. A project that is named must exist.
    pub(crate) fn of(ctx: &OpContext<'_>, project: &ProjectParam) -> Result<Self, Fault> {
        let reader = ctx.store();
        let found = match project {
            ProjectParam::All => return Ok(Self::All),
            ProjectParam::Named(text) => Some(ctx.project(text)?),
            ProjectParam::Here => own(ctx)?,
        };
        let Some(project) = found else { return Ok(Self::Nowhere) };
        let scopes = projects::scopes_of(reader, &project)?;
        Ok(Self::In(ProjectScopes { project, scopes }))
    }
}

/// The project that the caller's session began in; without a known session, the project of its
/// directory. A session that the caller merely names opens nothing: a private project is found from
/// its directory alone.
fn own(ctx: &OpContext<'_>) -> Result<Option<ProjectRow>, Fault> {
    let reader = ctx.store();
    let hidden = ctx.hidden()?;
    if let Some(session) = call_session::stated(ctx)?.and_then(|stated| stated.row) {
        return Ok(reader.project_uncounted(session.project)?);
    }
    let standing = CallerPlace::of(reader, ctx.caller)?;
    let found = match standing.project {
        _ if ctx.caller.has_no_place() => {
            return Err(projects::no_place("project", "pass a `project`: its name, or `*` for all"));
        }
        // Entries that others wrote without a place belong to nobody; an agent that calls without a
        // place has its own session's project.
        _ if standing.is_unknown() => ctx.session()?.of_an_agent().map(|session| session.project),
        Some(id) => Some(id),
        // If no place has this name, entries imported for the name belong to this place.
        None if !reader.places_named(&standing.name)?.is_empty() => None,
        None => reader.project_by_key(&key_of_name(&standing.name))?,
    };
    match found.filter(|id| !hidden.hide(*id)) {
        Some(id) => Ok(reader.project_uncounted(id)?),
        None => Ok(None),
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
        enum Given {
            Number(i64),
            Text(String),
        }
        Ok(match Option::<Given>::deserialize(deserializer)? {
            None => Self::All,
            // A number is always an id, even if a project has that name.
            Some(Given::Number(id)) => Self::Named(format!("id:{id}")),
            Some(Given::Text(text)) if text.trim() == EVERYWHERE => Self::All,
            Some(Given::Text(text)) => Self::Named(text),
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
        check(json!({"project": 7}), ProjectParam::Named("id:7".to_owned()));
    }
}
