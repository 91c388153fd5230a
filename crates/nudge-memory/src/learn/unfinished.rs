//! The session before, when it broke off: what it was about and where it stood.

use nudge_context::{Note, clean, named, path_named};
use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{ProjectId, Reader, SessionId, SessionRow, SessionStep};

use super::notes::here;
use crate::operation::OWN;
use crate::projects::Walls;
use crate::sessions::summary::{Summary, keywords};

/// How many steps are read to see where a session stood.
const STEPS: u32 = 100;

/// A session with fewer actions did not get far enough to be told of.
const LEAST: usize = 3;

/// How many sessions that ended properly may lie between: after that, people have moved on.
const FINISHED_SINCE: usize = 2;

/// How many prompts are read to find what a session was about.
const PROMPTS: u32 = 5;

/// How much of a prompt, of a command and of a path is told, and of how many files.
const ABOUT: usize = 60;
const COMMAND: usize = 50;
const FILE: usize = 30;
const FILES: usize = 3;

/// The session that is told, as far as this matters.
pub(super) struct Listener<'l> {
    /// The project it works in.
    pub(super) project: ProjectId,
    /// The project's directory.
    pub(super) root: &'l str,
    /// The worktree it works in, when that is not the main one.
    pub(super) worktree: Option<&'l str>,
}

/// The newest of these sessions, newest first, that told no end: last heard of before `silent`, after `since`.
pub(super) fn note(
    reader: &Reader<'_>,
    sessions: &[SessionRow],
    listener: &Listener<'_>,
    silent: Timestamp,
    since: Timestamp,
) -> Result<Option<Note>, Fault> {
    let mut finished = 0;
    for session in sessions.iter().filter(|row| row.parent.is_none() && row.harness != OWN) {
        let Some(last) = reader.last_in_session(session.id)? else { continue };
        if last < since || finished > FINISHED_SINCE {
            return Ok(None);
        }
        if session.ended_at.is_some() {
            finished += 1;
        } else if last < silent {
            let steps = reader.newest_steps(session.id, since, STEPS)?;
            let steps: Vec<SessionStep> = here(steps, listener.project).collect();
            let actions =
                steps.iter().filter(|step| step.kind.is_some_and(ObservationKind::is_action)).count();
            if actions >= LEAST
                && let Some(note) = told(reader, session, &steps, last, listener)?
            {
                return Ok(Some(note));
            }
        }
    }
    Ok(None)
}

/// What is to be said of it; nothing of a session that asked for nothing, broke nothing and changed nothing.
fn told(
    reader: &Reader<'_>,
    session: &SessionRow,
    steps: &[SessionStep],
    last: Timestamp,
    listener: &Listener<'_>,
) -> Result<Option<Note>, Fault> {
    // What was asked in a private project is not told outside it.
    let walls = Walls::around_project(reader, listener.project)?;
    let summary = match reader.summary_entry(session.id)? {
        Some(id) if walls.hide_entry(reader, id)? => None,
        found => found,
    };
    let mut text = String::new();
    if let Some(about) = about(reader, session.id, listener.project, summary)? {
        text.push_str(&format!("; it was about \"{}\"", plain(&about, ABOUT)));
    }
    let failed = steps.iter().find_map(|step| match (step.outcome, &step.command) {
        (Outcome::Failed { exit }, Some(command)) => Some((command, exit)),
        _ => None,
    });
    if let Some((command, exit)) = failed {
        let exit = exit.map_or_else(String::new, |exit| format!(", exit {exit}"));
        text.push_str(&format!("; last failed: `{}`{exit}", plain(command, COMMAND)));
    }
    let files = files(reader, steps, session.worktree.as_deref().unwrap_or(listener.root))?;
    if !files.is_empty() {
        text.push_str(&format!("; was changing {}", files.join(", ")));
    }
    if text.is_empty() {
        return Ok(None);
    }
    let text = format!("the session then{} told no end{text}", place(session, listener));
    let entry = summary.or_else(|| steps.first().map(|step| step.id));
    Ok(Some(Note { entry, at: last, text }))
}

/// Where it worked, when that was elsewhere.
fn place(session: &SessionRow, listener: &Listener<'_>) -> String {
    match session.worktree.as_deref() {
        there if there == listener.worktree => String::new(),
        None => " in the main worktree".to_owned(),
        Some(there) => format!(" in the worktree {}", named(there.rsplit('/').next().unwrap_or(there))),
    }
}

/// What the session was about: as its summary says, else the first prompt that asks for something.
fn about(
    reader: &Reader<'_>,
    session: SessionId,
    project: ProjectId,
    summary: Option<EntryId>,
) -> Result<Option<String>, Fault> {
    let summary = summary.map(|id| reader.entry_by_id(id)).transpose()?.flatten();
    let summary = summary.and_then(|entry| Summary::from_attributes(entry.attributes));
    if let Some(intent) = summary.and_then(|summary| summary.intent) {
        return Ok(Some(intent));
    }
    let said = reader.first_said(session, project, PROMPTS)?;
    let asks = said.iter().find(|(_, _, text)| keywords(text).len() > 1).or(said.first());
    Ok(asks.map(|(_, _, text)| text.clone()))
}

/// The files that were changed last, each once, by their place in the project.
fn files(reader: &Reader<'_>, steps: &[SessionStep], root: &str) -> Result<Vec<String>, Fault> {
    let mut files: Vec<String> = Vec::new();
    for step in steps.iter().filter(|step| step.kind.is_some_and(ObservationKind::is_file_change)) {
        for path in reader.touched_by(step.id)? {
            let inside = path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
            let shown = inside.filter(|_| !root.is_empty()).unwrap_or(&path);
            let shown = path_named(shown, FILE).replace('"', "'");
            if !files.contains(&shown) {
                files.push(shown);
            }
        }
        if files.len() >= FILES {
            break;
        }
    }
    files.truncate(FILES);
    Ok(files)
}

/// A text inside quotation marks of ours.
pub(super) fn plain(text: &str, most: usize) -> String {
    clean(text, most).replace(['"', '`'], "'")
}
