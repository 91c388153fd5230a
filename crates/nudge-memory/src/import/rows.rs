//! opencode's database.

use nudge_core::Fault;
use nudge_harness::{Harness, transcript};
use nudge_store::foreign::{Foreign, ForeignSession};
use serde_json::json;

use super::batch::{Run, Scene};
use super::position::Position;
use super::request::Progress;

/// How many sessions are listed, and how many messages are read, at once.
const SESSIONS: u32 = 200;
const MESSAGES: u32 = 100;

/// Imports the sessions that changed since the last import.
pub(super) fn import(
    run: &mut Run<'_>,
    watch: &mut dyn FnMut(Progress),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<bool, Fault> {
    let path = &run.request.path;
    if !path.is_file() {
        return Err(Fault::invalid(
            "no_transcripts",
            format!("there is no database of opencode at {}", path.display()),
        )
        .next("name the place: `nudge import opencode PATH`"));
    }
    let name = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let mut database = Foreign::open(&name)?;
    if !database.is_readable()? {
        return Err(Fault::invalid(
            "not_opencode",
            format!("{} has no sessions, messages and parts of opencode", path.display()),
        )
        .next("name opencode.db itself"));
    }
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

/// One session. Its parts change while it runs, so one that changed is read whole; what is known stays known.
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
    let mut scene = Scene { path: path.to_owned(), ..Scene::default() };
    // Only when all of it is in does the mark say so.
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
