//! What a new session gets about repetition: commands that keep failing.
//!
//! Only the project's newest sessions are read, by index, and of each only its newest steps: the
//! cost does not grow with the store.

use std::collections::HashMap;
use std::time::Duration;

use nudge_context::{Note, clean};
use nudge_core::{EntryId, Fault, Outcome, Timestamp};
use nudge_outcomes::marks::{fold, signature};
use nudge_store::{Occurrence, ProjectId, Reader, SessionRow, SessionStep};

use super::tally::{HalfLife, Repeats, Tally};
use crate::failures::{self, Asker};
use crate::sessions::Viewpoint;

/// How many of the project's sessions are read.
const MAX_SESSIONS: usize = 10;

/// How many steps of each are read.
const MAX_STEPS: u32 = 100;

/// How long ago a failure may be: two half-lives.
const MAX_AGE: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// When a command counts as failing repeatedly: this many times, in this many sessions, and with at
/// least this much heat. Failing within a single session is normal work.
const MIN_TIMES: u64 = 3;
const MIN_SESSIONS: usize = 2;
const MIN_HEAT: f64 = 1.0;

/// How many such commands are shown.
const MAX_COMMANDS: usize = 3;

/// How much of a command is shown, in characters.
const MAX_COMMAND_CHARS: usize = 80;

/// The notes for a session in this project, most important first; empty if nothing repeats. Expects
/// the project's sessions newest first.
pub fn notes(
    reader: &Reader<'_>,
    project: ProjectId,
    sessions: &[SessionRow],
    viewpoint: Option<Viewpoint<'_>>,
    now: Timestamp,
) -> Result<Vec<Note>, Fault> {
    let own = viewpoint.and_then(|from| from.session);
    let newest = sessions.iter().take(MAX_SESSIONS).filter(|row| own != Some(row.id));
    let sessions: Vec<SessionRow> = newest.cloned().collect();
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    failing(reader, project, &sessions, now)
}

/// Commands that keep failing here; those that have not worked since come first.
fn failing(
    reader: &Reader<'_>,
    project: ProjectId,
    sessions: &[SessionRow],
    now: Timestamp,
) -> Result<Vec<Note>, Fault> {
    let mut failed = Repeats::default();
    for session in sessions {
        let steps = reader.newest_steps(session.id, now.minus(MAX_AGE), MAX_STEPS)?;
        for step in here(steps, project) {
            let (Outcome::Failed { exit }, Some(text)) = (step.outcome, step.command) else { continue };
            let heat = HalfLife::DEFAULT.heat(step.at, now);
            let key = fold::command(&text);
            let (id, at, session) = (step.id, step.at, session.id);
            failed.add(key, &Occurrence { id, session, project, at, exit, text, response: None }, None, heat);
        }
    }
    let mut keeps = failed.repeated(MIN_TIMES);
    keeps.retain(|(_, tally)| tally.sessions.len() >= MIN_SESSIONS && tally.heat >= MIN_HEAT);
    let Some(since) = keeps.iter().map(|(_, tally)| tally.last).min() else { return Ok(Vec::new()) };
    let worked = worked(reader, project, sessions, since)?;
    let has_worked = |(key, tally): &(String, Tally)| worked.get(key).is_some_and(|at| *at > tally.last);
    keeps.sort_by_key(has_worked);
    let mut notes = Vec::new();
    for repeated in &keeps {
        if notes.len() == MAX_COMMANDS {
            break;
        }
        if had_nothing_to_do(reader, repeated.1.newest.id)? {
            continue;
        }
        let asker = Asker { reader, project, session: None, now };
        let known = failures::keeps_failing(&asker, &repeated.1.newest.text)?;
        notes.push(match known {
            Some(known) => Note { entry: Some(known.entry), at: known.at, text: known.text },
            None => reported(&repeated.1, has_worked(repeated)),
        });
    }
    Ok(notes)
}

/// Whether a command that failed only had nothing to do, such as a commit of a clean tree.
fn had_nothing_to_do(reader: &Reader<'_>, step: EntryId) -> Result<bool, Fault> {
    let row = reader.observation(step)?;
    let response = row.as_ref().and_then(|row| row.attributes.get("response")?.as_str());
    Ok(response.is_some_and(signature::has_nothing_to_do))
}

/// The steps taken in this project. A session may have moved to another one.
fn here(steps: Vec<SessionStep>, project: ProjectId) -> impl Iterator<Item = SessionStep> {
    steps.into_iter().filter(move |step| step.project == Some(project))
}

/// When each command last succeeded, if after a given time.
fn worked(
    reader: &Reader<'_>,
    project: ProjectId,
    sessions: &[SessionRow],
    since: Timestamp,
) -> Result<HashMap<String, Timestamp>, Fault> {
    let mut worked: HashMap<String, Timestamp> = HashMap::new();
    for session in sessions {
        for step in here(reader.newest_commands(session.id, since, MAX_STEPS)?, project) {
            let (Outcome::Success, Some(text)) = (step.outcome, step.command) else { continue };
            let last = worked.entry(fold::command(&text)).or_insert(step.at);
            *last = step.at.max(*last);
        }
    }
    Ok(worked)
}

fn reported(tally: &Tally, has_worked: bool) -> Note {
    let exit = tally.newest.exit.map_or_else(String::new, |exit| format!(", last with exit {exit}"));
    let later = if has_worked { "; ran later with exit 0" } else { "" };
    let text = format!(
        "`{}` failed {} times in {} sessions{exit}{later}",
        plain(&tally.newest.text, MAX_COMMAND_CHARS),
        tally.count,
        tally.sessions.len(),
    );
    Note { entry: Some(tally.newest.id), at: tally.last, text }
}

/// A text that can go inside quotation marks.
fn plain(text: &str, most: usize) -> String {
    clean(text, most).replace(['"', '`'], "'")
}
