//! What a session that begins is told of what repeats: commands that keep failing.
//!
//! Only the newest sessions of the project are read, by index, and of each only its newest steps: this costs the same
//! however much is kept.

use std::collections::HashMap;
use std::time::Duration;

use nudge_context::{Note, clean};
use nudge_core::{Fault, Outcome, Timestamp};
use nudge_store::{Occurrence, ProjectId, Reader, SessionRow, SessionStep};

use super::tally::{HalfLife, Repeats, Tally};
use crate::failures::{self, Asker};
use crate::marks::fold;
use crate::sessions::Viewpoint;

/// How many sessions of the project are looked at.
const SESSIONS: usize = 10;

/// How many steps of each.
const STEPS: u32 = 100;

/// How long ago something may be: after two half-lives nobody means it any more.
const LATELY: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// From when on a command keeps failing: so often, in so many sessions, and so much of it lately. Within one session
/// failing is how work goes.
const TIMES: u64 = 3;
const IN_SESSIONS: usize = 2;
const FLOOR: f64 = 1.0;

/// How many such commands are told.
const TOLD: usize = 3;

/// How much of a command is told.
const COMMAND: usize = 80;

/// What may be told to somebody in this project, most important first; nothing where nothing repeats. Its sessions are given
/// newest first.
pub fn notes(
    reader: &Reader<'_>,
    project: ProjectId,
    sessions: &[SessionRow],
    viewpoint: Option<Viewpoint<'_>>,
    now: Timestamp,
) -> Result<Vec<Note>, Fault> {
    let own = viewpoint.and_then(|from| from.session);
    let newest = sessions.iter().take(SESSIONS).filter(|row| own != Some(row.id));
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
        let steps = reader.newest_steps(session.id, now.minus(LATELY), STEPS)?;
        for step in here(steps, project) {
            let (Outcome::Failed { exit }, Some(text)) = (step.outcome, step.command) else { continue };
            let heat = HalfLife::DEFAULT.heat(step.at, now);
            let key = fold::command(&text);
            let (id, at, session) = (step.id, step.at, session.id);
            failed.add(key, &Occurrence { id, session, project, at, exit, text, response: None }, None, heat);
        }
    }
    let mut keeps = failed.repeated(TIMES);
    keeps.retain(|(_, tally)| tally.sessions.len() >= IN_SESSIONS && tally.heat >= FLOOR);
    let Some(since) = keeps.iter().map(|(_, tally)| tally.last).min() else { return Ok(Vec::new()) };
    let worked = worked(reader, project, sessions, since)?;
    let has_worked = |(key, tally): &(String, Tally)| worked.get(key).is_some_and(|at| *at > tally.last);
    keeps.sort_by_key(has_worked);
    let mut notes = Vec::new();
    for kept in keeps.iter().take(TOLD) {
        let asker = Asker { reader, project, session: None, now };
        let known = failures::keeps_failing(&asker, &kept.1.newest.text)?;
        notes.push(match known {
            Some(known) => Note { entry: Some(known.entry), at: known.at, text: known.text },
            None => told(&kept.1, has_worked(kept)),
        });
    }
    Ok(notes)
}

/// The steps that were taken in a project: what a session did after it went to another one is not told here.
fn here(steps: Vec<SessionStep>, project: ProjectId) -> impl Iterator<Item = SessionStep> {
    steps.into_iter().filter(move |step| step.project == Some(project))
}

/// When each command last ended well, as far as that was after a time.
fn worked(
    reader: &Reader<'_>,
    project: ProjectId,
    sessions: &[SessionRow],
    since: Timestamp,
) -> Result<HashMap<String, Timestamp>, Fault> {
    let mut worked: HashMap<String, Timestamp> = HashMap::new();
    for session in sessions {
        for step in here(reader.newest_commands(session.id, since, STEPS)?, project) {
            let (Outcome::Success, Some(text)) = (step.outcome, step.command) else { continue };
            let last = worked.entry(fold::command(&text)).or_insert(step.at);
            *last = step.at.max(*last);
        }
    }
    Ok(worked)
}

fn told(tally: &Tally, has_worked: bool) -> Note {
    let exit = tally.newest.exit.map_or_else(String::new, |exit| format!(", last with exit {exit}"));
    let later = if has_worked { "; ran later with exit 0" } else { "" };
    let text = format!(
        "`{}` failed {} times in {} sessions{exit}{later}",
        plain(&tally.newest.text, COMMAND),
        tally.count,
        tally.sessions.len(),
    );
    Note { entry: Some(tally.newest.id), at: tally.last, text }
}

/// A text inside quotation marks of ours.
fn plain(text: &str, most: usize) -> String {
    clean(text, most).replace(['"', '`'], "'")
}
