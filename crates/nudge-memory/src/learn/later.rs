//! What succeeded after a command had failed: reported as an event, never as advice.

use std::collections::HashMap;

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_outcomes::marks::fold;
use nudge_store::{Occurrence, ProjectId, Reach, Reader, SessionId};

use super::gather::{session_name, shown};
use super::tally::Tally;
use super::wire::Ran;
use crate::projects::HiddenProjects;
use crate::recall::seconds;

/// How many of the newest commands of each kind are read.
const NEWEST: u32 = 100_000;

/// The kinds of commands that succeeded.
const KINDS: [ObservationKind; 3] =
    [ObservationKind::Command, ObservationKind::GitCommit, ObservationKind::GitPush];

/// How many of the sessions in which a command failed are read, newest first.
const SESSIONS: usize = 5;

/// How many steps after a failure can still be related to it.
const STEPS: u32 = 40;

/// For each command, its newest run with exit 0 after its last failure.
pub(super) fn ran_later(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    hidden: &HiddenProjects,
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
            if hidden.hide(one.project) {
                return;
            }
            let Some(&place) = places.get(fold::command(&one.text).as_str()) else { return };
            let is_newer = newest[place].as_ref().is_none_or(|known| known.at < one.at);
            if one.at > commands[place].1.last && is_newer {
                newest[place] = Some(one);
            }
        })?;
    }
    let reported =
        |one: Option<Occurrence>| one.map(|one| ran(reader, &one.text, one.at, one.session)).transpose();
    newest.into_iter().map(reported).collect()
}

/// The next command of the same program that ended with exit 0 in a session where the command had
/// failed: the same command, or its replacement. With a project given, only commands that ran there
/// count, because a session may move to another one.
pub(super) fn worked_after(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    hidden: &HiddenProjects,
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
        let here = here.filter(|step| step.project.is_none_or(|there| !hidden.hide(there)));
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
