//! Where the newest sessions stopped: their end, their requests, and after a compaction the work
//! before it.

use std::collections::HashSet;
use std::path::Path;

use nudge_context::{Changed, Command, Intent, RelativePlace, Row, Said, Stopped};
use nudge_core::text::gist;
use nudge_core::{EntryId, Fault, ObservationKind, Outcome};
use nudge_outcomes::shell::is_read_only;
use nudge_store::{LastWords, RecentPrompt, RecentRow, SessionId, SessionRow};
use serde_json::Value;

use super::gathering::{Gathered, Gathering};
use crate::inject::cooldown::SILENCED;
use crate::inject::uncommitted::{NAMED, STEPS, uncommitted};
use crate::operation::OWN;
use crate::recall::error_line;
use crate::sessions::over_before;
use crate::sessions::summary::keywords;
use crate::statements::by_program;
use crate::{anchors, failures};

/// How many sessions are shown, and how many are read to find them.
const SESSIONS: usize = 5;

const LOOKED_AT: usize = 15;

/// How much of a conclusion is checked for content, in characters.
const CONCLUDED: usize = 240;

/// How many prompts are read to find the first and the last that ask for something.
const PROMPTS: u32 = 5;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let mut found = Vec::new();
    let unknown = gathering.sessions.iter().filter(|session| !gathering.is_known(session.id));
    let main = unknown.filter(|session| session.parent.is_none() && session.harness != OWN);
    for session in main.take(LOOKED_AT) {
        if found.iter().filter(|(_, one): &&(SessionId, Stopped)| !one.place.may_be_invisible()).count()
            >= SESSIONS
        {
            break;
        }
        let one = stopped(gathering, session)?.map(|one| unsilenced(gathering, gathered, one));
        let one = one.filter(Stopped::says_something);
        found.extend(one.map(|one| (session.id, one)));
    }
    // Work done here comes before work done aside; within each group the order stays newest first.
    found.sort_by_key(|(_, one)| one.place.may_be_invisible());
    found.truncate(SESSIONS);
    gathered.stopped = found.iter().map(|(session, _)| *session).collect();
    gathered.facts.stopped = found.into_iter().map(|(_, one)| one).collect();
    Ok(())
}

fn stopped(gathering: &Gathering<'_>, session: &SessionRow) -> Result<Option<Stopped>, Fault> {
    let request = gathering.request;
    let Some(at) = request.reader.last_in_session(session.id)? else { return Ok(None) };
    let rows = request.reader.actions_in_session(session.id, request.project, STEPS)?;
    let LastWords { conclusion, attributes, branch, todos } =
        request.reader.last_words(session.id, request.project)?;
    let (goal, last) = asked(gathering, session)?;
    // A session without actions is only worth showing if its agent reached a conclusion.
    let came_to_something = conclusion.as_ref().is_some_and(|(_, text)| !gist(text, CONCLUDED).is_empty());
    if rows.is_empty() && !came_to_something {
        return Ok(None);
    }
    let place = gathering.place(session.id);
    let is_over = session.ended_at.is_some() || place == RelativePlace::Parallel;
    Ok(Some(Stopped {
        at,
        broke_off: !is_over && at < over_before(request.now),
        place,
        goal,
        last,
        concluded: conclusion.map(|(entry, text)| Said { entry, text, by: None }),
        drift: anchors::drift_of(&attributes, Path::new(&request.root)),
        branch,
        commit: rows.iter().find(|row| row.kind == ObservationKind::GitCommit).map(said),
        changed: changed(gathering, session, &rows)?,
        failing: failing(gathering, session.id, &rows)?,
        todos,
    }))
}

/// The same without the parts that the user silenced.
fn unsilenced(gathering: &Gathering<'_>, gathered: &mut Gathered, mut one: Stopped) -> Stopped {
    let held = &mut gathered.facts.withheld;
    let mut is_silenced = |entry: EntryId| {
        let silenced = gathering.cooldown.is_silenced(entry);
        held.extend(silenced.then_some((entry, SILENCED)));
        silenced
    };
    for said in [&mut one.goal, &mut one.last, &mut one.concluded, &mut one.commit] {
        said.take_if(|said| is_silenced(said.entry));
    }
    one.changed.take_if(|changed| is_silenced(changed.entry));
    one.failing.take_if(|command| is_silenced(command.entry));
    one.todos.take_if(|(entry, _)| is_silenced(*entry));
    one
}

fn said(row: &RecentRow) -> Said {
    Said { entry: row.entry, text: row.text.clone(), by: None }
}

fn prompted(prompt: RecentPrompt) -> Said {
    Said { entry: prompt.entry, text: prompt.text, by: by_program(prompt.client.as_deref()) }
}

/// The first and the last prompt that ask for something.
fn asked(gathering: &Gathering<'_>, session: &SessionRow) -> Result<(Option<Said>, Option<Said>), Fault> {
    let request = gathering.request;
    let first = request.reader.first_prompts(session.id, request.project, PROMPTS)?;
    let first = first.into_iter().map(prompted).find(is_request);
    let newest = request.reader.recent_prompts(session.id, PROMPTS)?;
    let newest = newest.into_iter().filter(|prompt| prompt.project == Some(request.project));
    let last = newest.map(prompted).find(is_request);
    Ok((first, last))
}

/// Whether a prompt says what is wanted: "yes" and "go on" do not.
fn is_request(said: &Said) -> bool {
    keywords(&said.text).len() > 1
}

/// The files that were changed after the last commit and not restored, as they are shown.
fn changed(
    gathering: &Gathering<'_>,
    session: &SessionRow,
    rows: &[RecentRow],
) -> Result<Option<Changed>, Fault> {
    let Some((entry, files)) = uncommitted(gathering.request.reader, rows)? else { return Ok(None) };
    let more = files.len().saturating_sub(NAMED);
    let from_worktree = |file: &String| {
        let root = session.worktree.as_deref()?;
        Some(file.strip_prefix(root)?.strip_prefix('/')?.to_owned())
    };
    let shown = |file| from_worktree(file).unwrap_or_else(|| gathering.request.shown(file));
    let files = files.iter().take(NAMED).map(shown).collect();
    Ok(Some(Changed { entry, files, more }))
}

/// The newest command that failed, did not pass later, and was not replaced by another that passed.
/// Looking for something without finding it is not a failure.
fn failing(
    gathering: &Gathering<'_>,
    session: SessionId,
    rows: &[RecentRow],
) -> Result<Option<Command>, Fault> {
    let mut passed = HashSet::new();
    for row in rows.iter().filter(|row| row.kind.is_command() && !is_read_only(&row.text)) {
        let what = nudge_outcomes::marks::fold::command(&row.text);
        match row.outcome {
            Outcome::Success => drop(passed.insert(what)),
            Outcome::Failed { .. } if passed.insert(what) => {
                let found = command(gathering, row)?;
                let error = found.response.as_deref().unwrap_or_default();
                if !failures::was_replaced(gathering.request.reader, session, (row.entry, row.at), error)? {
                    return Ok(Some(found));
                }
            }
            Outcome::Failed { .. } | Outcome::Unknown => {}
        }
    }
    Ok(None)
}

fn command(gathering: &Gathering<'_>, row: &RecentRow) -> Result<Command, Fault> {
    let full = gathering.request.reader.observation(row.entry)?;
    let response = full.and_then(|row| {
        row.attributes.get("response").and_then(Value::as_str).map(error_line).map(str::to_owned)
    });
    Ok(Command { entry: row.entry, at: row.at, text: row.text.clone(), outcome: row.outcome, response })
}

// The user's requests that were acted on.

/// How many of a project's newest sessions are searched for intents.
const INTENT_SESSIONS: usize = 20;

/// How many prompts that were acted on are considered per session and in all, and how many intents
/// are enough.
const PROMPTS_EACH: u32 = 20;

const INTENT_PROMPTS: usize = 100;

const INTENTS: usize = 20;

pub(super) fn gather_intents(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let mut found = Vec::new();
    let newest = gathering.sessions.iter().take(INTENT_SESSIONS);
    let uninjected = newest.filter(|session| !gathered.stopped.contains(&session.id));
    for session in uninjected.filter(|session| !gathering.is_known(session.id)) {
        if found.len() >= INTENT_PROMPTS {
            break;
        }
        let place = gathering.place(session.id);
        let prompts = request.reader.prompts_acted_on(session.id, request.project, PROMPTS_EACH)?;
        found.extend(prompts.into_iter().map(|prompt| (prompt, place.clone())));
    }
    found.sort_by_key(|(prompt, _)| std::cmp::Reverse((prompt.at, prompt.entry)));
    let intents = &mut gathered.facts.intents;
    for (prompt, place) in found {
        // Counting takes longest, so it stops when there are enough.
        if intents.len() >= INTENTS {
            break;
        }
        let actions = request.reader.actions_of(prompt.entry)?;
        let withheld = gathering.cooldown.is_silenced(prompt.entry).then_some(SILENCED);
        intents.push(Intent { withheld, ..intent(prompt, actions, place) });
    }
    Ok(())
}

pub(super) fn intent(prompt: RecentPrompt, actions: u32, place: RelativePlace) -> Intent {
    Intent {
        entry: prompt.entry,
        at: prompt.at,
        by: by_program(prompt.client.as_deref()),
        text: prompt.text,
        actions,
        place,
        withheld: None,
    }
}

// The session's work before its context was emptied: its last prompts, the files it was changing,
// its last command and how that ended.

/// How many of a session's last actions are searched for files it was changing.
const IN_FLIGHT: u32 = 200;

const RECOVERY_PROMPTS: u32 = 5;

/// How many recent changes are listed, and how long the line of each may be, in characters.
const CHANGES: usize = 10;

const FILES_LINE: usize = 100;

pub(super) fn gather_recovery(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let Some(&lost) = gathering.own.first() else { return Ok(()) };
    let (request, facts) = (gathering.request, &mut gathered.facts);
    let prompts = request.reader.recent_prompts(lost, RECOVERY_PROMPTS)?;
    let is_shown = |entry: EntryId| !gathering.cooldown.is_silenced(entry);
    let is_here = |prompt: &RecentPrompt| prompt.project == Some(request.project) && is_shown(prompt.entry);
    let here = prompts.into_iter().filter(is_here);
    facts.prompts = here.map(|prompt| intent(prompt, 0, RelativePlace::Here)).collect();
    let mut rows = request.reader.actions_in_session(lost, request.project, IN_FLIGHT)?;
    rows.retain(|row| is_shown(row.entry));
    let mut named = HashSet::new();
    facts.files = in_flight(gathering, &rows, &mut named)?;
    // A file listed as being changed needs no row.
    let is_named = |row: &Row| row.file.as_ref().is_some_and(|file| named.contains(file));
    facts.rows.retain(|row| row.pinned || !is_named(row));
    if let Some(last) = rows.iter().find(|row| row.kind.is_command()) {
        let full = request.reader.observation(last.entry)?;
        let said = full.and_then(|row| Some(row.attributes.get("response")?.as_str()?.to_owned()));
        facts.command = Some(Command {
            entry: last.entry,
            at: last.at,
            text: last.text.clone(),
            outcome: last.outcome,
            response: said,
        });
    }
    Ok(())
}

/// The files of the last changes: one line for each change, each file once.
fn in_flight(
    gathering: &Gathering<'_>,
    rows: &[RecentRow],
    named: &mut HashSet<String>,
) -> Result<Vec<(EntryId, String)>, Fault> {
    let request = gathering.request;
    let mut lines = Vec::new();
    for row in rows.iter().filter(|row| row.kind.is_file_change()) {
        if lines.len() == CHANGES {
            break;
        }
        let files = request.reader.touched_by(row.entry)?;
        let mut files: Vec<String> = files.iter().map(|file| request.shown(file)).collect();
        files.retain(|file| !named.contains(file));
        lines.extend(files_line(files, named).map(|line| (row.entry, line)));
    }
    Ok(lines)
}

/// The files of one change in a line: as many as fit, and the number of the others. Adds those it
/// names to `named`.
fn files_line(files: Vec<String>, named: &mut HashSet<String>) -> Option<String> {
    let mut files = files.into_iter();
    let mut line = files.next()?;
    named.insert(line.clone());
    while let Some(file) = files.next() {
        if line.chars().count() + file.chars().count() > FILES_LINE {
            line.push_str(&format!(" and {} more", files.len() + 1));
            break;
        }
        line.push_str(", ");
        line.push_str(&file);
        named.insert(file);
    }
    Some(line)
}
