//! Finds what is known about a failure that a caller asks about.

use std::collections::HashSet;

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_outcomes::marks::part::parts;
use nudge_outcomes::marks::{self, blame, fold, signature};
use nudge_store::{Attempt, ProjectId, Reader, SessionId};

use super::fix;
use super::history::Asker;
use super::record::{ANY_PROGRAM, MAX_ERROR_LINES, error_of, errors_of, sessions};
use crate::sessions::turns;

/// The maximum number of known failures returned.
const MAX_KNOWN_FAILURES: usize = 5;

/// How much of a conclusion is shown, in characters.
const MAX_CONCLUSION_CHARS: usize = 240;

/// A failure that was seen before.
pub(crate) struct Found {
    /// Its newest observation.
    pub(crate) entry: EntryId,
    /// When that observation was made.
    pub(crate) at: Timestamp,
    /// The error line.
    pub(crate) error: Option<String>,
    /// The last command that failed this way.
    pub(crate) command: String,
    /// How often it was seen, and in how many sessions.
    pub(crate) times: usize,
    pub(crate) sessions: usize,
    /// A description of what then passed.
    pub(crate) followed: Option<String>,
}

/// Failures that resemble the one in a text, best match first. The text is the output, or the
/// command that fails.
pub(crate) fn find(
    reader: &Reader<'_>,
    project: ProjectId,
    text: &str,
    now: Timestamp,
) -> Result<Vec<Found>, Fault> {
    let asker = Asker { reader, project, session: None, now };
    let lines = signature::telling_lines(text, MAX_ERROR_LINES);
    let errors = lines.iter().filter(|line| fold::is_specific(line));
    let mut marks: Vec<(i64, Option<&str>)> =
        errors.map(|line| (marks::of_error(ANY_PROGRAM, line), Some(line.as_str()))).collect();
    let first = text.lines().next().unwrap_or_default();
    for part in parts(first) {
        marks.push((marks::of_run(&part), None));
        marks.extend(marks::of_names(&part).into_iter().map(|(mark, _)| (mark, None)));
    }
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for (mark, line) in marks {
        let failures = asker.failures(mark)?;
        let Some(newest) = failures.first() else { continue };
        if found.len() >= MAX_KNOWN_FAILURES || !seen.insert(newest.entry) {
            continue;
        }
        let one = found_of(reader, newest, &failures, line)?;
        // The same error under several marks counts once.
        let is_same = |known: &Found| {
            let folded = |found: &Found| found.error.as_deref().map(fold::error_with_quotes);
            one.error.is_some() && folded(known) == folded(&one)
        };
        if !found.iter().any(is_same) {
            found.push(one);
        }
    }
    Ok(found)
}

fn found_of(
    reader: &Reader<'_>,
    newest: &Attempt,
    failures: &[Attempt],
    line: Option<&str>,
) -> Result<Found, Fault> {
    let error = match line {
        Some(line) => Some(line.to_owned()),
        None => error_of(reader, newest.entry)?,
    };
    let row = reader.documents(&[newest.entry])?.into_iter().next();
    let seen = fix::seen(reader, failures, error.as_deref().unwrap_or_default())?;
    let followed = match &seen {
        Some(seen) => Some(fix::describe_fix(seen)),
        None => concluded(reader, newest.entry)?,
    };
    Ok(Found {
        entry: newest.entry,
        at: newest.at,
        error,
        command: row.map(|row| row.body).unwrap_or_default(),
        times: failures.len(),
        sessions: sessions(failures),
        followed,
    })
}

/// What the agent concluded in the turn of a failure, for one without a known fix.
fn concluded(reader: &Reader<'_>, failure: EntryId) -> Result<Option<String>, Fault> {
    let Some(prompt) = reader.observation(failure)?.and_then(|row| row.prompt) else { return Ok(None) };
    let result = turns::result_of(reader, prompt)?.map(|whole| whole.gist(MAX_CONCLUSION_CHARS));
    Ok(result.map(|result| format!("{} in that turn: \"{}\"", result.what, result.text.replace('"', "'"))))
}

/// Whether another command passed instead of one that failed in this session.
pub(crate) fn was_replaced(
    reader: &Reader<'_>,
    session: SessionId,
    (entry, at): (EntryId, Timestamp),
    error: &str,
) -> Result<bool, Fault> {
    fix::was_replaced(reader, &Attempt { entry, session, at, failed: true }, error)
}

/// Describes what passed after a failed command, in any session of its project.
pub(crate) fn followed(reader: &Reader<'_>, entry: EntryId, now: Timestamp) -> Result<Option<String>, Fault> {
    let Some(row) = reader.documents(&[entry])?.into_iter().next() else { return Ok(None) };
    let Some(session) = row.session else { return Ok(None) };
    let Some(project) = fix::project_of(reader, session, entry, row.at)? else { return Ok(None) };
    let asker = Asker { reader, project, session: None, now };
    let parts = parts(&row.body);
    for line in errors_of(reader, entry)?.iter().filter(|line| fold::is_specific(line)) {
        let Some(culprit) = blame::culprit(&parts, line) else { continue };
        let failures = asker.failures(marks::of_error(culprit.program(), line))?;
        if let Some(seen) = fix::seen(reader, &failures, line)? {
            return Ok(Some(fix::describe_fix(&seen)));
        }
    }
    Ok(None)
}
