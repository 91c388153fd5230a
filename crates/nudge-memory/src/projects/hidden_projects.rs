//! What a caller must not see: private projects, from outside.
//!
//! A private project is visible to callers in its directory, and to the user when naming it. For
//! all others it does not exist: no rows, no name, no number of matches.

use std::collections::HashSet;
use std::path::Path;

use nudge_core::{EntryId, Fault};
use nudge_store::{ProjectId, Reader};

use super::belongs;
use super::caller_place::CallerPlace;
use crate::caller::Caller;
use crate::memory::Memory;
use nudge_home::settings;

/// The projects that are hidden from a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HiddenProjects {
    /// The private projects; `projects` also includes memories imported under their names.
    closed: Vec<ProjectId>,
    projects: HashSet<ProjectId>,
    scopes: HashSet<i64>,
    keys: Vec<String>,
}

impl HiddenProjects {
    /// The projects hidden from a caller.
    pub(crate) fn for_caller(reader: &Reader<'_>, caller: &Caller) -> Result<Self, Fault> {
        let private = private_projects(reader)?;
        if private.is_empty() {
            return Ok(Self::default());
        }
        let here = CallerPlace::of(reader, caller)?.project;
        Self::of(reader, private.into_iter().filter(|id| Some(*id) != here))
    }

    /// The projects hidden from events in a project.
    pub(crate) fn for_project(reader: &Reader<'_>, project: ProjectId) -> Result<Self, Fault> {
        Self::of(reader, private_projects(reader)?.into_iter().filter(|id| *id != project))
    }

    fn of(reader: &Reader<'_>, closed: impl Iterator<Item = ProjectId>) -> Result<Self, Fault> {
        let mut hidden = Self::default();
        for id in closed {
            let Some(row) = reader.project_uncounted(id)? else { continue };
            let keys = belongs::keys_of(reader, &row)?;
            hidden.scopes.extend(reader.scopes_of_keys(&keys)?);
            for key in &keys {
                hidden.projects.extend(reader.project_by_key(key)?);
            }
            hidden.keys.extend(keys);
            hidden.projects.insert(id);
            hidden.closed.push(id);
        }
        Ok(hidden)
    }

    /// The same, but with one project visible because the user named it.
    pub(crate) fn without(&self, reader: &Reader<'_>, project: ProjectId) -> Result<Self, Fault> {
        Self::of(reader, self.closed.iter().copied().filter(|id| *id != project))
    }

    /// Whether nothing is hidden.
    pub(crate) fn is_empty(&self) -> bool {
        self.projects.is_empty()
    }

    /// The hidden scopes.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = i64> {
        self.scopes.iter().copied()
    }

    /// Whether a project is hidden.
    pub(crate) fn hide(&self, project: ProjectId) -> bool {
        self.projects.contains(&project)
    }

    /// Whether the entries in a scope are hidden.
    pub(crate) fn hide_scope(&self, scope: i64) -> bool {
        self.scopes.contains(&scope)
    }

    /// Whether an entry is hidden: it is in a hidden scope, or it summarises a session that worked
    /// in a hidden project.
    pub(crate) fn hide_entry(&self, reader: &Reader<'_>, id: EntryId) -> Result<bool, Fault> {
        if self.is_empty() {
            return Ok(false);
        }
        let lies_there = reader.scope_of(id)?.is_some_and(|scope| self.hide_scope(scope));
        Ok(lies_there || reader.summary_went_to(id, &self.keys)?)
    }
}

/// Whether statements made in the place with this key are hidden from a caller. Checks only that
/// project, while [`HiddenProjects::for_caller`] checks all: reading a hint must stay cheap.
pub(crate) fn is_hidden_from(reader: &Reader<'_>, caller: &Caller, key: &str) -> Result<bool, Fault> {
    if caller.project.as_deref() == Some(key) {
        return Ok(false);
    }
    let (project, private) = match reader.privacy_of(key)? {
        Some((id, root, kept)) => (Some(id), kept || declares_private(&root)),
        // Nothing was captured there yet, but its settings file may make it private.
        None => (None, declares_private(key.strip_suffix("/.git").unwrap_or(key))),
    };
    if !private {
        return Ok(false);
    }
    let here = CallerPlace::of(reader, caller)?;
    Ok(here.key != key && (project.is_none() || here.project != project))
}

/// All private projects: those stored as private, and those that their own file now declares
/// private.
fn private_projects(reader: &Reader<'_>) -> Result<Vec<ProjectId>, Fault> {
    let all = reader.privacy()?.into_iter();
    Ok(all.filter(|(_, root, kept)| *kept || declares_private(root)).map(|(id, _, _)| id).collect())
}

impl Memory {
    /// Whether anything was ever stored for the project with a key.
    pub fn knows_project(&self, key: &str) -> Result<bool, Fault> {
        self.store().read(|reader| Ok(reader.project_by_key(key)?.is_some()))
    }

    /// Whether the project with a key is private.
    pub fn is_private(&self, key: &str) -> Result<bool, Fault> {
        self.store().read(|reader| match reader.project_by_key(key)? {
            Some(id) => Ok(private_projects(reader)?.contains(&id)),
            None => Ok(false),
        })
    }
}

/// Whether the file in a project's directory declares it private.
pub(crate) fn declares_private(root: &str) -> bool {
    let root = Path::new(root);
    root.is_absolute()
        && root.join(settings::PROJECT_FILE).symlink_metadata().is_ok()
        && settings::is_declared_private(root)
}
