//! Imports opencode's database.

use std::path::Path;

use nudge_core::Fault;
use nudge_harness::{Harness, transcript};
use nudge_store::foreign::{Foreign, ForeignSession};
use serde_json::json;

use super::batch::{Run, TranscriptState};
use super::position::Position;
use super::request::Progress;

/// How many sessions are listed, and how many messages are read, at once.
const SESSIONS: u32 = 200;
const MESSAGES: u32 = 100;

/// The database, if it has the tables of opencode.
fn opened(path: &Path) -> Result<Option<Foreign>, Fault> {
    let mut database = Foreign::open(path)?;
    Ok(database.is_readable()?.then_some(database))
}

/// Imports the sessions that changed since the last import.
pub(super) fn import(
    run: &mut Run<'_>,
    watch: &mut dyn FnMut(Progress),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<bool, Fault> {
    let path = &run.request.path;
    if !path.is_file() {
        return Err(Fault::invalid("no_transcripts", format!("no opencode database at {}", path.display()))
            .next("name the file: `nudge import opencode PATH`"));
    }
    let name = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let mut database = match opened(&name) {
        Ok(Some(database)) => database,
        Err(fault) if fault.reason != Fault::DAMAGED => return Err(fault),
        // Damage of this file is not damage of the memory.
        Ok(None) | Err(_) => {
            let why = format!("{} is not an opencode database", path.display());
            return Err(Fault::invalid("not_opencode", why).next("name the file opencode.db"));
        }
    };
    let name = name.to_string_lossy().into_owned();
    let mut sessions: Vec<ForeignSession> = Vec::new();
    loop {
        let page = database.sessions(sessions.last().map_or(0, |last| last.place), SESSIONS)?;
        if page.is_empty() {
            break;
        }
        sessions.extend(page);
    }
    let total = sessions.iter().map(|session| session.parts.unsigned_abs()).sum();
    let mut done = 0;
    for session in sessions {
        if is_over() {
            return Ok(false);
        }
        watch(Progress { done, total });
        done += session.parts.unsigned_abs();
        one(run, &mut database, &name, &session)?;
    }
    watch(Progress { done: total, total });
    Ok(true)
}

/// Imports one session. Its parts change while it runs, so a changed session is read whole; known
/// events are not stored again.
fn one(run: &mut Run<'_>, database: &mut Foreign, path: &str, session: &ForeignSession) -> Result<(), Fault> {
    let mark = Position {
        name: format!("import:opencode:{path}#{}", session.id),
        position: session.parts,
        detail: session.changed.to_string(),
    };
    let cursor = run.store.read(|reader| Ok::<_, Fault>(reader.cursor(&mark.name)?))?;
    if cursor.is_some_and(|cursor| cursor.position == mark.position && cursor.detail == mark.detail) {
        run.report().unchanged += 1;
        return Ok(());
    }
    let Some(mut reader) = transcript::reader(Harness::Opencode, path) else { return Ok(()) };
    run.begin(None);
    let mut scene = TranscriptState { path: path.to_owned(), ..TranscriptState::default() };
    // The position says finished only after everything is stored.
    let unfinished = Position { position: -1, ..mark.clone() };
    let mut take = |run: &mut Run<'_>, text: &str| -> Result<(), Fault> {
        for item in reader.line(text) {
            scene.follow(&item);
            run.take(item, &scene)?;
        }
        if run.is_full() { run.write(&unfinished) } else { Ok(()) }
    };
    take(run, &json!({"session": session.row}).to_string())?;
    let mut place = 0;
    loop {
        let page = database.messages(&session.id, place, MESSAGES)?;
        let Some(last) = page.last() else { break };
        place = last.place;
        for message in &page {
            take(run, &message.row.to_string())?;
        }
    }
    for item in reader.finish() {
        run.take(item, &scene)?;
    }
    run.write(&mark)
}
