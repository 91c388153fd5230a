//! Where a caller is, and what it may therefore change.
//!
//! A caller's place is the directory of the calling process. Where that is known, a session named
//! in a call is only the caller's claim, and grants no rights. A call over HTTP has no directory,
//! so it belongs to the project of its session (see `sessions::call_session`).

use std::path::Path;

use nudge_core::{Fault, FaultKind};
use nudge_store::{ProjectId, Reader};

use super::project_ref::ProjectRef;
use super::resolve::{UNKNOWN, of_directory};
use crate::caller::{Ambient, Caller};

/// Where a caller is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallerPlace {
    /// The key of the place; `unknown` if nothing is known about it.
    pub(crate) key: String,
    /// The place's name.
    pub(crate) name: String,
    /// Its project, if anything was ever stored for it.
    pub(crate) project: Option<ProjectId>,
}

impl CallerPlace {
    /// The place of a caller.
    pub(crate) fn of(reader: &Reader<'_>, caller: &Caller) -> Result<Self, Fault> {
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
pub(crate) fn is_person(caller: &Caller) -> bool {
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
