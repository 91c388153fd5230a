//! Rows of other projects: pinned ones, and the work in another copy of this project.

use std::collections::{HashMap, HashSet};

use nudge_context::RelativePlace;
use nudge_core::{EntryId, Fault};
use nudge_store::ProjectId;

use super::best_rows::best_rows;
use super::gathered::Gathered;
use super::gathering::Gathering;
use crate::projects::HiddenProjects;

/// How many pins of other projects are considered.
const PINS: u32 = 15;

/// How many copies of the project, sessions of each and rows of each copy are considered.
const COPIES: u32 = 3;
const SESSIONS: u32 = 3;
const ROWS: usize = 60;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let mut names: HashMap<ProjectId, String> = HashMap::new();
    let mut found = request.reader.pinned_outside(Some(request.project), PINS)?;
    let mut seen: HashSet<EntryId> = found.iter().map(|row| row.entry).collect();
    let copies = match &gathering.remote {
        Some(remote) => request.reader.projects_of_remote(remote, request.project, COPIES)?,
        None => Vec::new(),
    };
    for (copy, _) in copies {
        let sessions = request.reader.working_sessions_of(copy, SESSIONS)?;
        let sessions: Vec<_> = sessions.iter().map(|session| (session.id, false)).collect();
        let rows = best_rows(request.reader, &sessions, copy, ROWS, request.now)?;
        found.extend(rows.into_iter().filter(|row| seen.insert(row.entry)));
    }
    let hidden = if found.is_empty() {
        HiddenProjects::default()
    } else {
        HiddenProjects::for_project(request.reader, request.project)?
    };
    for row in found {
        let Some(project) = row.project.filter(|project| !hidden.hide(*project)) else { continue };
        let name = match names.get(&project) {
            Some(name) => name.clone(),
            None => request.reader.project_label(project)?.unwrap_or_default().0,
        };
        names.insert(project, name.clone());
        gathered.facts.elsewhere.push(gathering.row(row, RelativePlace::Project(name)));
    }
    Ok(())
}
