//! The session's work before its context was emptied: its last prompts, the files it was changing,
//! its last command and how that ended.

use std::collections::HashSet;

use nudge_context::{Command, RelativePlace, Row};
use nudge_core::{EntryId, Fault};
use nudge_store::{RecentPrompt, RecentRow};

use super::gathered::Gathered;
use super::gathering::Gathering;
use super::intents::intent;

/// How many of a session's last actions are searched for files it was changing.
const IN_FLIGHT: u32 = 200;
const PROMPTS: u32 = 5;

/// How many recent changes are listed, and how long the line of each may be, in characters.
const CHANGES: usize = 10;
const FILES_LINE: usize = 100;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let Some(&lost) = gathering.own.first() else { return Ok(()) };
    let (request, facts) = (gathering.request, &mut gathered.facts);
    let prompts = request.reader.recent_prompts(lost, PROMPTS)?;
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
