//! What ended well after a command had failed: reported as what happened, never as what to do.

use std::collections::HashMap;

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{Occurrence, ProjectId, Reach, Reader, SessionId};

use super::gather::{session_name, shown};
use super::tally::Tally;
use super::wire::Ran;
use crate::marks::fold;
use crate::projects::Walls;
use crate::recall::seconds;

/// How many of the newest commands of each kind are looked through.
const NEWEST: u32 = 100_000;

/// The kinds that a command that ended well can have.
const KINDS: [ObservationKind; 3] =
    [ObservationKind::Command, ObservationKind::GitCommit, ObservationKind::GitPush];

/// How many of the sessions in which a command failed are looked into, the newest first.
const SESSIONS: usize = 5;

/// How many steps after a failure still have to do with it.
const STEPS: u32 = 40;

/// For each command the newest run of it that ended with exit 0 after it last failed.
pub(super) fn ran_later(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    walls: &Walls,
    commands: &[(String, Tally)],
) -> Result<Vec<Option<Ran>>, Fault> {
    let Some(since) = commands.iter().map(|(_, tally)| tally.last).min() else {
        return Ok(Vec::new());
    };
    let reach = Reach { project, since: Some(since), newest: NEWEST };
    let places: HashMap<&str, usize> =
        commands.iter().enumerate().map(|(place, (pattern, _))| (pattern.as_str(), place)).collect();
    let mut newest: Vec<Option<Occurrence>> = vec![None; commands.len()];
    for kind in KINDS {
        reader.visit_commands(kind, reach, |one| {
            if walls.hide(one.project) {
                return;
            }
            let Some(&place) = places.get(fold::command(&one.text).as_str()) else { return };
            let is_newer = newest[place].as_ref().is_none_or(|known| known.at < one.at);
            if one.at > commands[place].1.last && is_newer {
                newest[place] = Some(one);
            }
        })?;
    }
    let told =
        |one: Option<Occurrence>| one.map(|one| ran(reader, &one.text, one.at, one.session)).transpose();
    newest.into_iter().map(told).collect()
}

/// What of the same program next ended with exit 0 in a session where the command had failed: the same command, or
/// what came to its place. Of one project only what ran there is told: a session may go on in another one.
pub(super) fn worked_after(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    walls: &Walls,
    pattern: &str,
    tally: &Tally,
) -> Result<Option<Ran>, Fault> {
    let program = fold::program(&tally.newest.text);
    let mut sessions: Vec<(Timestamp, SessionId)> =
        tally.sessions.iter().map(|(session, at)| (*at, *session)).collect();
    sessions.sort_unstable_by(|one, other| other.cmp(one));
    for (failed_at, session) in sessions.into_iter().take(SESSIONS) {
        let steps = reader.next_commands(session, failed_at, STEPS)?;
        let here = steps.into_iter().filter(|step| project.is_none() || step.project == project);
        let here = here.filter(|step| step.project.is_none_or(|there| !walls.hide(there)));
        let well = here.filter(|step| step.outcome == Outcome::Success);
        let mut commands = well.filter_map(|step| Some((step.at, step.command?)));
        let found = commands.find(|(_, text)| {
            fold::command(text) == pattern || (!program.is_empty() && fold::program(text) == program)
        });
        if let Some((at, text)) = found {
            return ran(reader, &text, at, session).map(Some);
        }
    }
    Ok(None)
}

fn ran(reader: &Reader<'_>, text: &str, at: Timestamp, session: SessionId) -> Result<Ran, Fault> {
    Ok(Ran { command: shown(text), timestamp: seconds(at), session_id: session_name(reader, session)? })
}
