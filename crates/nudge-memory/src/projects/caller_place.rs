//! Where a caller is, and what it may therefore change.
//!
//! A caller's place is the directory of the calling process. Where that is known, a session named
//! in a call is only the caller's claim, and grants no rights. A call over HTTP has no directory,
//! so it belongs to the project of its session (see `sessions::call_session`).

use std::collections::HashSet;
use std::path::Path;

use nudge_core::{EntryId, Fault, FaultKind};
use nudge_home::settings;
use nudge_store::{ProjectId, ProjectRow, Reader};

use super::resolve::{ProjectRef, UNKNOWN, key_of_name, of_directory};
use crate::caller::{Ambient, Caller};
use crate::memory::Memory;

/// Where a caller is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerPlace {
    /// The key of the place; `unknown` if nothing is known about it.
    pub(crate) key: String,
    /// The place's name.
    pub(crate) name: String,
    /// Its project, if anything was ever stored for it.
    pub project: Option<ProjectId>,
}

impl CallerPlace {
    /// The place of a caller.
    pub fn of(reader: &Reader<'_>, caller: &Caller) -> Result<Self, Fault> {
        let place = match place(caller) {
            Some(place) => place,
            None => {
                let key = caller.project.clone().unwrap_or_else(|| UNKNOWN.to_owned());
                ProjectRef { name: key.clone(), key, ..ProjectRef::default() }
            }
        };
        let project = reader.project_by_key(&place.key)?;
        let known = match project {
            Some(id) => reader.project_label(id)?.map(|(name, _)| name),
            None => None,
        };
        Ok(Self { name: known.unwrap_or(place.name), key: place.key, project })
    }

    /// The key under which the project's own entries are stored: its first, which stays when other
    /// places join it. The place's own key if nothing was ever stored for it.
    pub(crate) fn project_key(&self, reader: &Reader<'_>) -> Result<String, Fault> {
        let row = self.project.map(|id| reader.project_uncounted(id)).transpose()?.flatten();
        Ok(row.and_then(|row| row.keys.into_iter().next()).unwrap_or_else(|| self.key.clone()))
    }

    /// Whether nothing is known about the place.
    pub(crate) fn is_unknown(&self) -> bool {
        self.key == UNKNOWN
    }
}

/// The place of the caller's directory.
pub(crate) fn place(caller: &Caller) -> Option<ProjectRef> {
    let Ambient::Here(context) = &caller.ambient else { return None };
    let dir = context.cwd.as_deref().filter(|dir| dir.starts_with('/'))?;
    Some(of_directory(Path::new(dir)))
}

/// Whether the user makes the call. This is the only place where projects check that.
pub fn is_person(caller: &Caller) -> bool {
    caller.surface.is_user()
}

/// Rejects a write to a project other than the caller's. The user may write anywhere.
pub(crate) fn may_write_into(
    reader: &Reader<'_>,
    caller: &Caller,
    project: Option<ProjectId>,
    key: &str,
) -> Result<(), Fault> {
    if is_person(caller) {
        return Ok(());
    }
    let standing = CallerPlace::of(reader, caller)?;
    let is_here = standing.key == key || (project.is_some() && standing.project == project);
    match is_here {
        true => Ok(()),
        false if caller.has_no_place() => {
            let next = "pass the full id of a session of that project as `session`, and no `project`";
            Err(other_project(&standing).next(next))
        }
        false => Err(other_project(&standing)),
    }
}

/// The error for a call over HTTP that needs a project, when nothing says which one.
pub(crate) fn no_place(field: &str, next: &str) -> Fault {
    let why = "nothing says which project this call belongs to: its directory is unknown, and it names \
               no session of a project";
    Fault::invalid("no_place", why).with("field", field).next(next)
}

fn other_project(standing: &CallerPlace) -> Fault {
    let here = if standing.is_unknown() {
        "your directory belongs to no project".to_owned()
    } else {
        format!("you are in {}", standing.name)
    };
    let why = format!("{here}; only the user can write to another project");
    Fault::new(FaultKind::Forbidden, "other_project", why)
        .with("here", standing.name.clone())
        .next("remove `project` and `session` to write to your own project, or ask the user to do it")
}

// What belongs to a project. Searches and injections use exactly this, and a purge removes exactly
// this.

/// The keys under which a project's entries are stored: those of its places, and the key for
/// memories imported under its name.
///
/// Memories imported for a name belong to the first place with that name. A directory that was
/// given the same name later, by chance or on purpose, gets none of them.
pub(crate) fn keys_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<String>, Fault> {
    let mut keys = project.keys.clone();
    let brought = key_of_name(&project.name);
    let first = reader.places_named(&project.name)?.into_iter().next();
    if !keys.contains(&brought) && first.is_some_and(|first| first.id == project.id) {
        keys.push(brought);
    }
    Ok(keys)
}

/// The scopes that contain its entries.
pub(crate) fn scopes_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<i64>, Fault> {
    Ok(reader.scopes_of_keys(&keys_of(reader, project)?)?)
}

// What a caller must not see: private projects, from outside.
//
// A private project is visible to callers in its directory, and to the user when naming it. For
// all others it does not exist: no rows, no name, no number of matches.

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
            let keys = keys_of(reader, &row)?;
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
