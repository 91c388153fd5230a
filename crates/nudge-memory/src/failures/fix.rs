//! What helped: the commands and edits between the last failure and the first success of the same
//! aim, in the same session. It is described as it was seen.

use std::collections::HashSet;
use std::time::Duration;

use nudge_context::clean;
use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_outcomes::marks::part::{Part, parts};
use nudge_outcomes::marks::{self, blame, fold};
use nudge_store::{Attempt, ProjectId, Reader, SessionId, SessionStep};
use serde_json::Value;

use super::record::{errors_of, is_seen_to_pass, sessions};

/// How many steps after a failure are considered.
const MAX_STEPS: u32 = 60;

/// How many steps can have the same time.
const MAX_SAME_TIME: u32 = 10;

/// Within how many steps another command counts as a replacement for the one that failed.
const MAX_REPLACEMENT_STEPS: usize = 20;

/// In how many sessions to search for what helped, newest first.
pub(super) const MAX_SESSIONS: usize = 8;

/// The share of common words from which two commands have the same aim, or are of the same kind.
const MIN_SAME_AIM: f64 = 0.5;

const MIN_SAME_KIND: f64 = 0.34;

/// Something that helped once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KnownFixKind {
    /// The command passed after another command ran.
    After(String),
    /// Another command passed instead.
    Instead(String),
    /// Another command ran without this error, although it failed for another reason.
    Taken(String),
    /// The command passed after a file was changed. `line` is one of the added lines.
    Edit { file: String, line: Option<String> },
    /// The command passed when it was run again.
    Again,
}

/// What helped, and in how many sessions: of those where anything helped, and of all that were
/// examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenFix {
    pub(super) fix: KnownFixKind,
    /// Whether a success proves it: the command's own exit status, or what its output says.
    pub(super) is_proven: bool,
    pub(super) times: usize,
    pub(super) helped: usize,
    pub(super) sessions: usize,
}

impl SeenFix {
    /// The command that helped, if it did so at least `times` times.
    pub(super) fn command(self, times: usize) -> Option<String> {
        match self.fix {
            KnownFixKind::After(text) if self.times >= times => Some(text),
            _ => None,
        }
    }
}

/// What helped most often after these failures of a command. `failures` is newest first.
pub(super) fn seen(reader: &Reader<'_>, failures: &[Attempt], error: &str) -> Result<Option<SeenFix>, Fault> {
    let mut sessions = HashSet::new();
    let newest = failures.iter().filter(|failure| sessions.insert(failure.session));
    let mut found: Vec<(KnownFixKind, bool, usize)> = Vec::new();
    let mut looked_at = 0;
    for failure in newest.take(MAX_SESSIONS) {
        looked_at += 1;
        let Some((fix, is_proven)) = after(reader, failure, error)? else { continue };
        match found.iter_mut().find(|(known, ..)| key(known) == key(&fix)) {
            Some((_, proven, times)) => {
                *proven |= is_proven;
                *times += 1;
            }
            None => found.push((fix, is_proven, 1)),
        }
    }
    let helped = found.iter().map(|(.., times)| times).sum();
    // One that is proven wins, then the most frequent, then the newest.
    let best = found.into_iter().rev().max_by_key(|(_, is_proven, times)| (*is_proven, *times));
    Ok(best.map(|(fix, is_proven, times)| SeenFix { fix, is_proven, times, helped, sessions: looked_at }))
}

/// Two fixes with the same key are the same.
fn key(fix: &KnownFixKind) -> (u8, String) {
    let folded = |text: &str| parts(text).iter().map(Part::folded_text).collect::<Vec<_>>().join(" ; ");
    match fix {
        KnownFixKind::After(text) => (0, folded(text)),
        KnownFixKind::Instead(text) | KnownFixKind::Taken(text) => (1, folded(text)),
        KnownFixKind::Edit { file, .. } => (2, file.clone()),
        KnownFixKind::Again => (3, String::new()),
    }
}

/// Whether another command passed instead of the one that failed.
pub(super) fn was_replaced(reader: &Reader<'_>, failure: &Attempt, error: &str) -> Result<bool, Fault> {
    Ok(matches!(after(reader, failure, error)?, Some((KnownFixKind::Instead(_) | KnownFixKind::Taken(_), _))))
}

/// What followed one failure, and whether a success proves it.
fn after(reader: &Reader<'_>, failure: &Attempt, error: &str) -> Result<Option<(KnownFixKind, bool)>, Fault> {
    let Some(row) = reader.documents(&[failure.entry])?.into_iter().next() else { return Ok(None) };
    let failed = parts(&row.body);
    let Some(culprit) = blame::culprit(&failed, error) else { return Ok(None) };
    let aim = culprit.folded_text();
    let mut steps = reader.next_commands(failure.session, failure.at, MAX_STEPS)?;
    // Steps after the session moved to another project are unrelated.
    if let Some(project) = project_of(reader, failure.session, failure.entry, row.at)? {
        steps.retain(|step| step.project == Some(project));
    }
    // A typing error is fixed once the program accepts the command line, whatever the outcome.
    let wrong = blame::marks(culprit, error);
    let takes = |step: &SessionStep, ran: &[Part]| {
        let is_free = |part: &Part| marks::of_names(part).iter().all(|(mark, _)| !wrong.contains(mark));
        let is_own = |part: &Part| part.program() == culprit.program() && is_free(part);
        !wrong.is_empty() && matches!(step.outcome, Outcome::Failed { .. }) && ran.iter().any(is_own)
    };
    let is_wrong_too = |step: &SessionStep| -> Result<bool, Fault> {
        Ok(errors_of(reader, step.id)?.iter().any(|line| blame::recurs_when_retyped(line)))
    };
    let mut between: Vec<&SessionStep> = Vec::new();
    let mut instead = None;
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.id != failure.entry) {
        let text = step.command.as_deref().unwrap_or_default();
        let ran = parts(text);
        if let Some(own) = ran.iter().find(|part| part.folded_text() == aim) {
            match step.outcome {
                Outcome::Success => {
                    let run = reader.documents(&[step.id])?.into_iter().next();
                    let is_proven = own.decides || run.is_some_and(|run| is_seen_to_pass(&run.attributes));
                    return Ok(Some((of_steps(reader, &between, culprit, error)?, is_proven)));
                }
                Outcome::Failed { .. } => between.clear(),
                Outcome::Unknown => {}
            }
            continue;
        }
        let is_akin = || ran.iter().any(|part| part.decides && likeness(part, culprit) >= MIN_SAME_AIM);
        let is_well = || -> Result<bool, Fault> {
            Ok(step.outcome == Outcome::Success || takes(step, &ran) && !is_wrong_too(step)?)
        };
        if instead.is_none() && at < MAX_REPLACEMENT_STEPS && is_akin() && is_well()? {
            let passed = step.outcome == Outcome::Success;
            instead = Some(if passed {
                KnownFixKind::Instead(text.to_owned())
            } else {
                KnownFixKind::Taken(text.to_owned())
            });
        }
        between.push(step);
    }
    Ok(instead.map(|fix| (fix, true)))
}

/// The project in which a session ran a command at a given time.
pub(super) fn project_of(
    reader: &Reader<'_>,
    session: SessionId,
    entry: EntryId,
    at: Timestamp,
) -> Result<Option<ProjectId>, Fault> {
    let just_before = at.minus(Duration::from_millis(1));
    let steps = reader.next_commands(session, just_before, MAX_SAME_TIME)?;
    Ok(steps.iter().find(|step| step.id == entry).and_then(|step| step.project))
}

/// The step that most likely led to a success.
fn of_steps(
    reader: &Reader<'_>,
    between: &[&SessionStep],
    culprit: &Part,
    error: &str,
) -> Result<KnownFixKind, Fault> {
    let ran = between.iter().filter(|step| step.outcome == Outcome::Success);
    let commands: Vec<&str> = ran.filter_map(|step| step.command.as_deref()).collect();
    let acts = |text: &&&str| parts(text).iter().any(|part| !part.is_look());
    let kin = |text: &&&str| parts(text).iter().any(|part| likeness(part, culprit) >= MIN_SAME_KIND);
    if let Some(text) = commands.iter().rev().filter(acts).find(kin) {
        return Ok(KnownFixKind::After((*text).to_owned()));
    }
    let is_edit = |step: &&&SessionStep| {
        matches!(step.kind, Some(ObservationKind::FileEdit | ObservationKind::FileWrite))
    };
    let edits: Vec<EntryId> = between.iter().filter(is_edit).map(|step| step.id).collect();
    if let Some(edit) = edit(reader, &edits, error)? {
        return Ok(edit);
    }
    Ok(commands
        .iter()
        .rev()
        .find(acts)
        .map_or(KnownFixKind::Again, |text| KnownFixKind::After((*text).to_owned())))
}

/// The last edit of the file that the error names, otherwise the last edit.
fn edit(reader: &Reader<'_>, ids: &[EntryId], error: &str) -> Result<Option<KnownFixKind>, Fault> {
    let rows = reader.documents(ids)?;
    let is_named = |file: &str| file.rsplit('/').next().is_some_and(|name| error.contains(name));
    let named = rows.iter().rev().find(|row| row.files.first().is_some_and(|file| is_named(file)));
    let Some(row) = named.or(rows.last()) else { return Ok(None) };
    let Some(file) = row.files.first() else { return Ok(None) };
    let changed = row.attributes.get("changed").and_then(Value::as_str).unwrap_or_default();
    Ok(Some(KnownFixKind::Edit { file: file.clone(), line: telling_change(changed, error) }))
}

/// The added line that shares the most words with the error, otherwise the first meaningful one.
fn telling_change(changed: &str, error: &str) -> Option<String> {
    let added = changed.lines().filter_map(|line| line.strip_prefix('+')).map(str::trim);
    let added: Vec<&str> = added.filter(|line| line.chars().any(char::is_alphanumeric)).collect();
    let names: Vec<&str> =
        error.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
    let shared = |line: &str| names.iter().filter(|name| line.contains(**name)).count();
    let best = added.iter().rev().max_by_key(|line| shared(line))?;
    Some((*best).to_owned())
}

/// How many words two commands have in common, as a share of the shorter one.
fn likeness(one: &Part, other: &Part) -> f64 {
    // `cd` says nothing about the aim of a command.
    if [one, other].iter().any(|part| part.program() == "cd") {
        return 0.0;
    }
    let words = |part: &Part| -> HashSet<String> {
        let folded = part.words.iter().map(|word| fold::words(std::slice::from_ref(word)));
        folded.flat_map(|word| word.split(':').map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).filter(|word| word.len() > 1).count();
    shared as f64 / one.len().min(other.len()).max(1) as f64
}

// Describes a known failure in one line.

/// How much of a command, of an error and of a changed line is shown, in characters.
const MAX_COMMAND_CHARS: usize = 100;

const MAX_ERROR_CHARS: usize = 120;

const MAX_CHANGE_CHARS: usize = 100;

/// How much of a command and of an error a proposed hint shows, in characters.
const MAX_LESSON_CHARS: usize = 60;

/// What to report.
pub(super) struct Report<'r> {
    /// The command; `None` if it is the one that was just run.
    pub(super) what: Option<&'r str>,
    /// Whether similar commands failed in the same way.
    pub(super) and_the_like: bool,
    pub(super) error: Option<&'r str>,
    pub(super) failures: &'r [Attempt],
    pub(super) seen: Option<&'r SeenFix>,
}

/// `"rtk bun run test" failed here 5 times in 5 sessions: "error: …"; then "bun run test" passed (4
/// of 5 sessions)`
pub(super) fn describe(report: &Report<'_>) -> String {
    let times = match (report.failures.len(), sessions(report.failures)) {
        (1, _) => "once".to_owned(),
        (times, 1) => format!("{times} times in one session"),
        (times, sessions) => format!("{times} times in {sessions} sessions"),
    };
    let error = report.error.map(|line| format!("\"{}\"", quotable(line, MAX_ERROR_CHARS)));
    let others = if report.and_the_like { " and the like" } else { "" };
    let head = match (report.what, error) {
        (Some(command), Some(error)) => {
            format!("\"{}\"{others} failed here {times}: {error}", quotable(command, MAX_COMMAND_CHARS))
        }
        (Some(command), None) => {
            format!("\"{}\"{others} failed here {times}", quotable(command, MAX_COMMAND_CHARS))
        }
        (None, error) => format!("{} was seen here {times}", error.as_deref().unwrap_or("this error")),
    };
    match (report.seen, report.failures.len()) {
        (Some(seen), _) => format!("{head}; {}", describe_fix(seen)),
        (None, 1) => head,
        (None, _) => format!("{head}; what helped is not known"),
    }
}

/// What followed, how often that was seen, and whether it is proven.
pub(super) fn describe_fix(seen: &SeenFix) -> String {
    let what = of_fix(&seen.fix);
    match (seen.times, seen.sessions) {
        (1, 1) if seen.is_proven => format!("{what} (seen once, unconfirmed)"),
        (1, 1) => format!("{what} (seen once, not proven)"),
        (times, sessions) => {
            let proof = if seen.is_proven { "" } else { ", not proven" };
            format!("{what} ({times} of {sessions} sessions{proof})")
        }
    }
}

fn of_fix(fix: &KnownFixKind) -> String {
    match fix {
        KnownFixKind::After(text) => format!("it passed after \"{}\" ran", first_line(text)),
        KnownFixKind::Instead(text) => format!("then \"{}\" passed", first_line(text)),
        KnownFixKind::Taken(text) => format!("then \"{}\" ran without that error", first_line(text)),
        KnownFixKind::Edit { file, line } => {
            let line = line.as_deref().map(|line| format!(" to \"{}\"", quotable(line, MAX_CHANGE_CHARS)));
            format!("it passed after a change of {}{}", name(file), line.unwrap_or_default())
        }
        KnownFixKind::Again => "it passed when run again".to_owned(),
    }
}

/// What helps after a failure, in a few words for a hint: without how often it was seen.
pub(super) fn describe_lesson(what: &str, error: &str, fix: &KnownFixKind) -> String {
    let error = quotable(error, MAX_LESSON_CHARS);
    match fix {
        KnownFixKind::Instead(text) => {
            let what = quotable(what, MAX_LESSON_CHARS);
            format!("\"{}\" passed, \"{what}\" did not: \"{error}\"", first_line(text))
        }
        fix => format!("{}; without it: \"{error}\"", of_fix(fix)),
    }
}

/// The first line of a command, without a trailing `2>&1`.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_end().trim_end_matches("2>&1").trim_end();
    quotable(line, MAX_COMMAND_CHARS)
}

/// A text to put in quotation marks, with its own ones replaced.
fn quotable(text: &str, most: usize) -> String {
    clean(text, most).replace('"', "'")
}

/// The last two components of a path.
fn name(file: &str) -> String {
    let at = file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    clean(file.get(at..).unwrap_or(file), MAX_COMMAND_CHARS)
}
