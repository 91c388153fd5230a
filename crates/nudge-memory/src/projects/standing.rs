//! Where a caller stands, and what that lets it change.
//!
//! What a surface knows of a caller's place is the directory of the process that asks. A session
//! that a call names is what the caller says, and gives no right to anything.

use std::path::Path;

use nudge_core::{Fault, FaultKind};
use nudge_store::{ProjectId, Reader};

use super::project_ref::ProjectRef;
use super::resolve::{UNKNOWN, of_directory};
use crate::caller::{Ambient, Caller};

/// Where somebody stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The key of the place; `unknown` where nothing is known of it.
    pub(crate) key: String,
    /// What it is called.
    pub(crate) name: String,
    /// Its project, where anything was ever kept of it.
    pub(crate) project: Option<ProjectId>,
}

impl Standing {
    /// Where the caller stands.
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

    /// Whether nothing is known of it.
    pub(crate) fn is_unknown(&self) -> bool {
        self.key == UNKNOWN
    }
}

/// The place of the directory that a caller stands in.
pub(crate) fn place(caller: &Caller) -> Option<ProjectRef> {
    let Ambient::Here(context) = &caller.ambient else { return None };
    let dir = context.cwd.as_deref().filter(|dir| dir.starts_with('/'))?;
    Some(of_directory(Path::new(dir)))
}

/// Whether a call is the person's own. The one place where projects ask for it.
pub(crate) fn is_person(caller: &Caller) -> bool {
    caller.surface.is_the_persons()
}

/// Refuses a write into another project than the caller stands in; the person may write anywhere.
pub(crate) fn may_write_into(
    reader: &Reader<'_>,
    caller: &Caller,
    project: Option<ProjectId>,
    key: &str,
) -> Result<(), Fault> {
    if is_person(caller) {
        return Ok(());
    }
    let standing = Standing::of(reader, caller)?;
    let is_here = standing.key == key || (project.is_some() && standing.project == project);
    if is_here { Ok(()) } else { Err(other_project(&standing)) }
}

fn other_project(standing: &Standing) -> Fault {
    let here = if standing.is_unknown() {
        "nothing is known of where you stand".to_owned()
    } else {
        format!("you stand in {}", standing.name)
    };
    let why = format!("{here}, and only the person writes into another project");
    Fault::new(FaultKind::Forbidden, "other_project", why)
        .with("here", standing.name.clone())
        .next("leave `project` and `session` out to write where you stand, or ask the person to do it")
}
