//! Where the newest sessions stopped: their end, their requests, and after a compaction the work
//! before it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nudge_context::{Changed, Command, Failure, Intent, Quote, RelativePlace, Row, Stopped, Turn};
use nudge_core::{EntryId, Fault, ObservationKind, Outcome};
use nudge_home::git::{FileState, WorkingTrees};
use nudge_outcomes::marks::signature;
use nudge_outcomes::shell::is_read_only;
use nudge_store::{Conclusion, LastWords, RecentPrompt, RecentRow, SessionId, SessionRow, SessionState};

use super::gathering::{Gathered, Gathering};
use crate::inject::cooldown::SILENCED;
use crate::inject::uncommitted::{MAX_NAMED_FILES, MAX_STEPS, uncommitted};
use crate::operation::OWN;
use crate::recall::error_line;
use crate::sessions::over_before;
use crate::sessions::turns::{answer_to, is_request, says_something};
use crate::statements::by_program;
use crate::{anchors, failures};

/// How many sessions are shown, and how many that did something are read to find them.
const MAX_SESSIONS: usize = 5;

const MAX_READ_SESSIONS: usize = 15;

/// How many of a session's uncommitted files are compared with git's last commit.
const MAX_COMPARED: usize = 40;

/// How many prompts are read to find the first and the last that ask for something.
const MAX_PROMPTS: u32 = 5;

/// How long git's files may be read for one block. What is not read by then is shown as it was when
/// its session ended.
const GIT_TIME: Duration = Duration::from_millis(150);

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let mut trees = WorkingTrees::new(Instant::now() + GIT_TIME);
    let mut found = Vec::new();
    let unknown = gathering.sessions.iter().filter(|session| !gathering.is_known(session.id));
    let main = unknown.filter(|session| session.parent.is_none() && session.harness != OWN);
    let mut read = 0;
    for session in main {
        if read == MAX_READ_SESSIONS
            || found.iter().filter(|(_, one): &&(SessionId, Stopped)| !one.place.may_be_invisible()).count()
                >= MAX_SESSIONS
        {
            break;
        }
        let Some(one) = stopped(gathering, session, &mut trees)? else { continue };
        read += 1;
        let one = Some(unsilenced(gathering, gathered, one)).filter(Stopped::says_something);
        found.extend(one.map(|one| (session.id, one)));
    }
    // Work done here comes before work done aside; within each group the order stays newest first.
    found.sort_by_key(|(_, one)| one.place.may_be_invisible());
    found.truncate(MAX_SESSIONS);
    gathered.stopped = found.iter().map(|(session, _)| *session).collect();
    gathered.facts.stopped = found.into_iter().map(|(_, one)| one).collect();
    Ok(())
}

fn stopped(
    gathering: &Gathering<'_>,
    session: &SessionRow,
    trees: &mut WorkingTrees,
) -> Result<Option<Stopped>, Fault> {
    let request = gathering.request;
    let Some(at) = request.reader.last_in_session(session.id)? else { return Ok(None) };
    let rows = request.reader.actions_in_session(session.id, request.project, MAX_STEPS)?;
    let LastWords { conclusion, branch, todos } = request.reader.last_words(session.id, request.project)?;
    if rows.is_empty() && conclusion.is_none() {
        return Ok(None);
    }
    let (last, first) = requests(gathering, session)?;
    let (last, first) = match last {
        Some(last) => (Some(turn(gathering, last)?), first),
        None => (conclusion.map(|conclusion| concluded(gathering, None, Some(conclusion))), None),
    };
    let first = first.map(|first| turn(gathering, first)).transpose()?;
    // A session without actions is only worth showing if its agent reached a conclusion.
    let has_conclusion = [&last, &first].into_iter().flatten().any(|turn| turn.concluded.is_some());
    if rows.is_empty() && !has_conclusion {
        return Ok(None);
    }
    let is_working = session.activity.state == SessionState::Busy && session.ended_at.is_none();
    Ok(Some(Stopped {
        at,
        broke_off: is_working && at < over_before(request.now),
        place: gathering.place(session.id),
        last,
        first,
        branch,
        commit: rows.iter().find(|row| row.kind == ObservationKind::GitCommit).map(commit),
        changed: changed(gathering, session, &rows, trees)?,
        failing: failing(gathering, session.id, &rows)?,
        todos: todos.filter(|(_, open)| !open.is_empty()),
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
    for turn in [&mut one.last, &mut one.first].into_iter().flatten() {
        for quote in [&mut turn.asked, &mut turn.concluded] {
            quote.take_if(|quote| is_silenced(quote.entry));
        }
    }
    one.commit.take_if(|commit| is_silenced(commit.entry));
    one.changed.take_if(|changed| is_silenced(changed.entry));
    one.failing.take_if(|command| is_silenced(command.entry));
    one.todos.take_if(|(entry, _)| is_silenced(*entry));
    one
}

fn commit(row: &RecentRow) -> Quote {
    Quote { entry: row.entry, text: row.text.clone(), by: None }
}

/// The last prompt that asks for something, and the first if that is another one.
fn requests(
    gathering: &Gathering<'_>,
    session: &SessionRow,
) -> Result<(Option<RecentPrompt>, Option<RecentPrompt>), Fault> {
    let request = gathering.request;
    let is_request = |prompt: &RecentPrompt| is_request(&prompt.text);
    let newest = request.reader.recent_prompts(session.id, MAX_PROMPTS)?;
    let last = newest.into_iter().filter(|prompt| prompt.project == Some(request.project)).find(is_request);
    let first = request.reader.first_prompts(session.id, request.project, MAX_PROMPTS)?;
    let first = first.into_iter().find(is_request);
    let Some(last) = last else { return Ok((first, None)) };
    let entry = last.entry;
    Ok((Some(last), first.filter(|first| first.entry != entry)))
}

/// A request with its conclusion.
fn turn(gathering: &Gathering<'_>, asked: RecentPrompt) -> Result<Turn, Fault> {
    let conclusion = answer_to(gathering.request.reader, &asked)?;
    Ok(concluded(gathering, Some(asked), conclusion))
}

fn concluded(gathering: &Gathering<'_>, asked: Option<RecentPrompt>, conclusion: Option<Conclusion>) -> Turn {
    let conclusion = conclusion.filter(|conclusion| says_something(&conclusion.text));
    let drift = |said: &Conclusion| anchors::drift_of(&said.attributes, Path::new(&gathering.request.root));
    Turn {
        asked: asked.map(|prompt| Quote {
            entry: prompt.entry,
            by: by_program(prompt.client.as_deref()),
            text: prompt.text,
        }),
        drift: conclusion.as_ref().and_then(drift),
        concluded: conclusion.map(|said| Quote { entry: said.entry, text: said.text, by: None }),
    }
}

/// The files that were changed after the session's last commit and not restored, as they are shown.
/// Those that were committed since, by whomever, are left out.
fn changed(
    gathering: &Gathering<'_>,
    session: &SessionRow,
    rows: &[RecentRow],
    trees: &mut WorkingTrees,
) -> Result<Option<Changed>, Fault> {
    let Some((entry, files)) = uncommitted(gathering.request.reader, rows)? else { return Ok(None) };
    let root = session.worktree.as_deref().unwrap_or(&gathering.request.root);
    let compared: Vec<PathBuf> = files.iter().take(MAX_COMPARED).map(PathBuf::from).collect();
    let states = trees.states(Path::new(root), &compared);
    let is_checked = states.contains(&FileState::Changed);
    let wanted = if is_checked { FileState::Changed } else { FileState::Unknown };
    let states = states.into_iter().chain(std::iter::repeat(FileState::Unknown));
    let files: Vec<String> =
        files.into_iter().zip(states).filter(|(_, state)| *state == wanted).map(|(file, _)| file).collect();
    if files.is_empty() {
        return Ok(None);
    }
    let more = files.len().saturating_sub(MAX_NAMED_FILES);
    let from_worktree = |file: &String| {
        let root = session.worktree.as_deref()?;
        Some(file.strip_prefix(root)?.strip_prefix('/')?.to_owned())
    };
    let shown = |file| from_worktree(file).unwrap_or_else(|| gathering.request.shown(file));
    let files = files.iter().take(MAX_NAMED_FILES).map(shown).collect();
    Ok(Some(Changed { entry, files, more, is_checked }))
}

/// The newest command that failed, did not pass later in any session, and was not replaced by
/// another that passed. Finding nothing, and having nothing to do, is no failure.
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
                let Some(found) = failed_command(gathering, row)? else { continue };
                if is_unresolved(gathering, session, row, &found)? {
                    return Ok(Some(found));
                }
            }
            Outcome::Failed { .. } | Outcome::Unknown => {}
        }
    }
    Ok(None)
}

fn is_unresolved(
    gathering: &Gathering<'_>,
    session: SessionId,
    row: &RecentRow,
    found: &Command,
) -> Result<bool, Fault> {
    let reader = gathering.request.reader;
    let error = found.response.as_deref().unwrap_or_default();
    Ok(!has_passed_since(gathering, found)?
        && !failures::was_replaced(reader, session, (row.entry, row.at), error)?)
}

/// Whether a failed command passed later, in any session.
fn has_passed_since(gathering: &Gathering<'_>, failed: &Command) -> Result<bool, Fault> {
    let request = gathering.request;
    let error = failed.response.as_deref().unwrap_or_default();
    failures::has_passed_since(request.reader, request.project, (&failed.text, error), failed.at)
}

/// A failed command; `None` if it only had nothing to do, or its agent did not let it run.
fn failed_command(gathering: &Gathering<'_>, row: &RecentRow) -> Result<Option<Command>, Fault> {
    let found = command(gathering, row)?;
    let response = found.response.as_deref().unwrap_or_default();
    if signature::has_nothing_to_do(response) || signature::is_agent_error(response) {
        return Ok(None);
    }
    let error = found.response.as_deref().map(|response| error_line(response).to_owned());
    Ok(Some(Command { response: error, ..found }))
}

fn command(gathering: &Gathering<'_>, row: &RecentRow) -> Result<Command, Fault> {
    let full = gathering.request.reader.observation(row.entry)?;
    let response = full.and_then(|row| Some(row.attributes.get("response")?.as_str()?.to_owned()));
    Ok(Command { entry: row.entry, at: row.at, text: row.text.clone(), outcome: row.outcome, response })
}

// The user's requests that were acted on.

/// How many of a project's newest sessions are searched for intents.
const MAX_INTENT_SESSIONS: usize = 20;

/// How many prompts that were acted on are considered per session and in all, and how many intents
/// are enough.
const MAX_PROMPTS_EACH: u32 = 20;

const MAX_INTENT_PROMPTS: usize = 100;

const MAX_INTENTS: usize = 20;

pub(super) fn gather_intents(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    if !request.tables {
        return Ok(());
    }
    let mut found = Vec::new();
    let newest = gathering.sessions.iter().take(MAX_INTENT_SESSIONS);
    let uninjected = newest.filter(|session| !gathered.stopped.contains(&session.id));
    for session in uninjected.filter(|session| !gathering.is_known(session.id)) {
        if found.len() >= MAX_INTENT_PROMPTS {
            break;
        }
        let place = gathering.place(session.id);
        let prompts = request.reader.prompts_acted_on(session.id, request.project, MAX_PROMPTS_EACH)?;
        found.extend(prompts.into_iter().map(|prompt| (prompt, place.clone())));
    }
    found.sort_by_key(|(prompt, _)| std::cmp::Reverse((prompt.at, prompt.entry)));
    let intents = &mut gathered.facts.intents;
    for (prompt, place) in found {
        // Counting takes longest, so it stops when there are enough.
        if intents.len() >= MAX_INTENTS {
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
const MAX_SEARCHED_ACTIONS: u32 = 200;

const MAX_RECOVERY_PROMPTS: u32 = 5;

/// How many recent changes are listed, and how long the line of each may be, in characters.
const MAX_CHANGES: usize = 10;

const MAX_FILES_CHARS: usize = 100;

pub(super) fn gather_recovery(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let Some(&lost) = gathering.own.first() else { return gather(gathering, gathered) };
    let (request, facts) = (gathering.request, &mut gathered.facts);
    let is_shown = |entry: EntryId| !gathering.cooldown.is_silenced(entry);
    let prompts = request.reader.recent_prompts(lost, MAX_RECOVERY_PROMPTS)?;
    for prompt in prompts.into_iter().filter(|prompt| prompt.project == Some(request.project)) {
        if is_shown(prompt.entry) {
            // "go on" is listed too, so each prompt stands with the conclusion of its own turn.
            let conclusion = request.reader.conclusion_of(prompt.entry)?;
            facts.requests.push((prompt.at, concluded(gathering, Some(prompt), conclusion)));
        }
    }
    let todos = request.reader.last_words(lost, request.project)?.todos;
    facts.todos = todos.filter(|(entry, open)| is_shown(*entry) && !open.is_empty());
    let mut rows = request.reader.actions_in_session(lost, request.project, MAX_SEARCHED_ACTIONS)?;
    rows.retain(|row| is_shown(row.entry));
    let mut named = HashSet::new();
    facts.files = in_flight(gathering, &rows, &mut named)?;
    // A file listed as being changed needs no row.
    let is_named = |row: &Row| row.file.as_ref().is_some_and(|file| named.contains(file));
    facts.rows.retain(|row| row.pinned || !is_named(row));
    let last = rows.iter().find(|row| row.kind.is_command());
    facts.command = last.map(|last| command(gathering, last)).transpose()?;
    facts.failure = last_failure(gathering, &rows)?
        .filter(|failure| last.is_none_or(|last| last.entry != failure.command.entry));
    // A context that was emptied before anything was done in it is as good as a new one.
    let is_new = facts.requests.is_empty() && facts.files.is_empty() && facts.command.is_none();
    if is_new { gather(gathering, gathered) } else { Ok(()) }
}

/// The newest command that failed, and whether it passed since.
fn last_failure(gathering: &Gathering<'_>, rows: &[RecentRow]) -> Result<Option<Failure>, Fault> {
    let mut passed = HashSet::new();
    for row in rows.iter().filter(|row| row.kind.is_command() && !is_read_only(&row.text)) {
        let what = nudge_outcomes::marks::fold::command(&row.text);
        if row.outcome == Outcome::Success {
            passed.insert(what);
        } else if matches!(row.outcome, Outcome::Failed { .. })
            && let Some(command) = failed_command(gathering, row)?
        {
            let has_passed = passed.contains(&what) || has_passed_since(gathering, &command)?;
            return Ok(Some(Failure { command, has_passed }));
        }
    }
    Ok(None)
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
        if lines.len() == MAX_CHANGES {
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
        if line.chars().count() + file.chars().count() > MAX_FILES_CHARS {
            line.push_str(&format!(" and {} more", files.len() + 1));
            break;
        }
        line.push_str(", ");
        line.push_str(&file);
        named.insert(file);
    }
    Some(line)
}
