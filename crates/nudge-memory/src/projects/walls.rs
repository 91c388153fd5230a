//! What a caller must not see: projects that are private, from outside.
//!
//! A private project is open to whoever stands in its directory, and to the person who names it. To
//! everybody else it does not exist: not its rows, not its name, not how much of it matches.

use std::collections::HashSet;
use std::path::Path;

use nudge_core::{EntryId, Fault};
use nudge_store::{ProjectId, Reader};

use super::belongs;
use super::standing::Standing;
use crate::caller::Caller;
use nudge_home::settings;

/// The projects that are closed to somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walls {
    /// Those that are private; `projects` also has what was brought in for them by name.
    closed: Vec<ProjectId>,
    projects: HashSet<ProjectId>,
    scopes: HashSet<i64>,
    keys: Vec<String>,
}

impl Walls {
    /// Those around a caller.
    pub(crate) fn around(reader: &Reader<'_>, caller: &Caller) -> Result<Self, Fault> {
        let private = private_projects(reader)?;
        if private.is_empty() {
            return Ok(Self::default());
        }
        let here = Standing::of(reader, caller)?.project;
        Self::of(reader, private.into_iter().filter(|id| Some(*id) != here))
    }

    /// Those around what happens in a project.
    pub(crate) fn around_project(reader: &Reader<'_>, project: ProjectId) -> Result<Self, Fault> {
        Self::of(reader, private_projects(reader)?.into_iter().filter(|id| *id != project))
    }

    fn of(reader: &Reader<'_>, closed: impl Iterator<Item = ProjectId>) -> Result<Self, Fault> {
        let mut walls = Self::default();
        for id in closed {
            let Some(row) = reader.project_uncounted(id)? else { continue };
            let keys = belongs::keys_of(reader, &row)?;
            walls.scopes.extend(reader.scopes_of_keys(&keys)?);
            for key in &keys {
                walls.projects.extend(reader.project_by_key(key)?);
            }
            walls.keys.extend(keys);
            walls.projects.insert(id);
            walls.closed.push(id);
        }
        Ok(walls)
    }

    /// The same, with a project opened that the person named.
    pub(crate) fn without(&self, reader: &Reader<'_>, project: ProjectId) -> Result<Self, Fault> {
        Self::of(reader, self.closed.iter().copied().filter(|id| *id != project))
    }

    /// Whether nothing is closed.
    pub(crate) fn is_empty(&self) -> bool {
        self.projects.is_empty()
    }

    /// The scopes that are closed.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = i64> {
        self.scopes.iter().copied()
    }

    /// Whether a project is closed.
    pub(crate) fn hide(&self, project: ProjectId) -> bool {
        self.projects.contains(&project)
    }

    /// Whether what lies in a scope is closed.
    pub(crate) fn hide_scope(&self, scope: i64) -> bool {
        self.scopes.contains(&scope)
    }

    /// Whether an entry is closed: it lies there, or it is the summary of a session that went
    /// there.
    pub(crate) fn hide_entry(&self, reader: &Reader<'_>, id: EntryId) -> Result<bool, Fault> {
        if self.is_empty() {
            return Ok(false);
        }
        let lies_there = reader.scope_of(id)?.is_some_and(|scope| self.hide_scope(scope));
        Ok(lies_there || reader.summary_went_to(id, &self.keys)?)
    }
}

/// Whether what was stated in the place with this key is closed to a caller. Looks at that one project alone, where
/// [`Walls::around`] looks at all: reading a hint must stay cheap.
pub(crate) fn closes(reader: &Reader<'_>, caller: &Caller, key: &str) -> Result<bool, Fault> {
    if caller.project.as_deref() == Some(key) {
        return Ok(false);
    }
    let (project, private) = match reader.privacy_of(key)? {
        Some((id, root, kept)) => (Some(id), kept || says_so(&root)),
        // Nothing was captured there yet, and its own file may still say so.
        None => (None, says_so(key.strip_suffix("/.git").unwrap_or(key))),
    };
    if !private {
        return Ok(false);
    }
    let here = Standing::of(reader, caller)?;
    Ok(here.key != key && (project.is_none() || here.project != project))
}

/// All private projects: those that are kept as such, and those whose own file says so now.
fn private_projects(reader: &Reader<'_>) -> Result<Vec<ProjectId>, Fault> {
    let all = reader.privacy()?.into_iter();
    Ok(all.filter(|(_, root, kept)| *kept || says_so(root)).map(|(id, _, _)| id).collect())
}

/// Whether the file in a project's directory says that it is private.
pub(crate) fn says_so(root: &str) -> bool {
    let root = Path::new(root);
    root.is_absolute()
        && root.join(settings::PROJECT_FILE).symlink_metadata().is_ok()
        && settings::says_private(root)
}
