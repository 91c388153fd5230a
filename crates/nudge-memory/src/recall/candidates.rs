//! What is weighed for the recent context: the newest of a project, and the newest of each kind everywhere.
//!
//! Within a kind only age tells two apart, so whatever belongs to the first hundred is among the newest of its kind.

use std::collections::HashSet;

use nudge_core::ObservationKind;
use nudge_store::{Glimpse, ProjectId, Reader, StoreError};

use super::place::Asked;

/// How many of a project are weighed: as many sessions, actions and prompts as make some days of work.
const SESSIONS: u32 = 60;
const OF_PROJECT: usize = 1_500;
const PROMPTS: u32 = 100;

/// How many of a kind are weighed where all projects count alike, and where they only fill up.
const OF_KIND: u32 = 300;
const OF_KIND_ELSEWHERE: u32 = 100;

/// The candidates, each once.
pub(super) fn candidates(reader: &Reader<'_>, asked: &Asked, only: bool) -> Result<Vec<Glimpse>, StoreError> {
    let mut found = match asked {
        Asked::In(place) => of_project(reader, place.project.id)?,
        Asked::All => reader.newest_prompts(PROMPTS)?,
        Asked::Nowhere => Vec::new(),
    };
    let everywhere = match asked {
        Asked::All => Some(OF_KIND),
        Asked::In(_) | Asked::Nowhere if !only => Some(OF_KIND_ELSEWHERE),
        Asked::In(_) | Asked::Nowhere => None,
    };
    if let Some(limit) = everywhere {
        for kind in ObservationKind::ALL {
            found.extend(reader.newest_of_kind(kind, limit)?);
        }
    }
    let mut met = HashSet::with_capacity(found.len());
    found.retain(|glimpse| met.insert(glimpse.id));
    Ok(found)
}

/// What happened last in the sessions of a project that began last.
fn of_project(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<Glimpse>, StoreError> {
    let mut found = Vec::new();
    let mut said = Vec::new();
    for session in reader.busy_sessions_of(project, SESSIONS)? {
        let room = OF_PROJECT - found.len();
        found.extend(reader.newest_of_session(session.id, room as u32)?);
        if said.len() < PROMPTS as usize {
            said.extend(reader.newest_prompts_of_session(session.id, PROMPTS)?);
        }
        if found.len() >= OF_PROJECT {
            break;
        }
    }
    found.extend(said);
    Ok(found)
}
