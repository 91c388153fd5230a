//! Stores how a command ended, under its marks.

use std::collections::HashSet;

use nudge_core::{EntryId, Fault, ObservationKind, Outcome};
use nudge_outcomes::RUN;
use nudge_outcomes::marks::part::{Part, parts};
use nudge_outcomes::marks::{self, HIDDEN_ERROR, blame, signature};
use nudge_store::{Attempt, Reader, SessionId};
use serde_json::{Map, Value};

use crate::capture::reaction::Ended;

/// How many lines of an error are examined: a linter reports several problems at once.
pub(super) const MAX_ERROR_LINES: usize = 6;

/// How many simple commands of a line are stored as passed.
const MAX_PASSED: usize = 6;

/// Stands for any program that printed an error.
pub(super) const ANY_PROGRAM: &str = "";

/// Stores how a command ended.
pub(crate) fn record(ended: &Ended<'_>) -> Result<(), Fault> {
    let is_command = matches!(
        ended.kind,
        ObservationKind::Command
            | ObservationKind::CommandError
            | ObservationKind::GitCommit
            | ObservationKind::GitPush
    );
    if !is_command {
        return Ok(());
    }
    let parts = parts(ended.body);
    match ended.outcome {
        _ if has_failed(ended) => failed(ended, &parts, &lines_of(ended.metadata)),
        Outcome::Success => passed(ended, &parts),
        Outcome::Failed { .. } | Outcome::Unknown => Ok(()),
    }
}

/// Whether a command failed, or its output shows an error that its exit status hid.
pub(super) fn has_failed(ended: &Ended<'_>) -> bool {
    matches!(ended.outcome, Outcome::Failed { .. }) || ended.metadata.contains_key(HIDDEN_ERROR)
}

/// The lines of a failure that name a problem. Messages of the agent program itself do not count.
pub(super) fn lines_of(metadata: &Map<String, Value>) -> Vec<String> {
    let fact = |name: &str| metadata.get(name).and_then(Value::as_str);
    match (fact(HIDDEN_ERROR), fact("response").unwrap_or_default()) {
        (Some(line), _) => vec![line.to_owned()],
        (None, response) if signature::is_agent_error(response) || signature::has_nothing_to_do(response) => {
            Vec::new()
        }
        (None, response) => signature::telling_lines(response, MAX_ERROR_LINES),
    }
}

/// A failure without a message gets no marks: an exit status can be a mere answer.
fn failed(ended: &Ended<'_>, parts: &[Part], lines: &[String]) -> Result<(), Fault> {
    let Some(culprit) = lines.first().and_then(|line| blame::culprit(parts, line)) else { return Ok(()) };
    let mut marks = Vec::new();
    let is_certain = lines.first().is_some_and(|line| blame::is_certain(parts, culprit, line));
    if !culprit.is_look() && is_certain {
        marks.push(marks::of_run(culprit));
    }
    for line in lines {
        marks.extend([marks::of_error(culprit.program(), line), marks::of_error(ANY_PROGRAM, line)]);
    }
    marks.extend(lines.iter().take(2).flat_map(|line| blame::marks(culprit, line)));
    put(ended, &marks, true)
}

/// A word that an error once named, and that now passed, is no longer suspect.
fn passed(ended: &Ended<'_>, parts: &[Part]) -> Result<(), Fault> {
    let mut marks = Vec::new();
    let has_passed = is_seen_to_pass(ended.metadata);
    for part in parts.iter().filter(|part| part.decides || has_passed).take(MAX_PASSED) {
        if !part.is_look() {
            marks.push(marks::of_run(part));
        }
        for (name, _) in marks::of_names(part) {
            if ended.writer.is_known_mark(ended.project, name)? {
                marks.push(name);
            }
        }
    }
    put(ended, &marks, false)
}

/// Whether the output shows that a run passed. It did then, even if a pipe changed the exit status.
pub(super) fn is_seen_to_pass(metadata: &Map<String, Value>) -> bool {
    metadata.get(RUN).is_some_and(|run| run["verdict"] == "passed")
}

fn put(ended: &Ended<'_>, marks: &[i64], failed: bool) -> Result<(), Fault> {
    let attempt = Attempt { entry: ended.entry, session: ended.session, at: ended.at, failed };
    for mark in marks {
        ended.writer.put_attempt(ended.project, *mark, &attempt)?;
    }
    Ok(())
}

/// The line that identifies a failure.
pub(super) fn error_of(reader: &Reader<'_>, entry: EntryId) -> Result<Option<String>, Fault> {
    Ok(errors_of(reader, entry)?.into_iter().next())
}

/// The lines of a failure that name a problem.
pub(super) fn errors_of(reader: &Reader<'_>, entry: EntryId) -> Result<Vec<String>, Fault> {
    let Some(row) = reader.documents(&[entry])?.into_iter().next() else { return Ok(Vec::new()) };
    Ok(lines_of(&row.attributes))
}

/// The number of sessions they happened in.
pub(super) fn sessions(failures: &[Attempt]) -> usize {
    failures.iter().map(|failure| failure.session).collect::<HashSet<SessionId>>().len()
}
