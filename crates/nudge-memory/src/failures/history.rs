//! Decides whether a command that is about to run, or an error that just occurred, was seen before
//! and is worth a line.

use std::collections::HashMap;
use std::time::Duration;

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_outcomes::marks::part::{Part, parts};
use nudge_outcomes::marks::{self, Proof};
use nudge_outcomes::marks::{blame, fold, signature};
use nudge_store::{Attempt, ProjectId, Reader, SessionId};

use super::fix::{self, Report, SeenFix};
use super::record::{MAX_ERROR_LINES, error_of, errors_of, sessions};

/// How many of the newest runs with a mark are examined.
const MAX_RUNS: u32 = 60;

/// The number of newest sessions over which a command's failures are counted.
const WINDOW_SESSIONS: usize = 6;

/// A command that sometimes passes is worth a warning if it failed in at least this many sessions,
/// and in at least this share of the window.
const MIN_FAILURES: usize = 3;

const MIN_FAILED_SHARE: f64 = 0.66;

/// The same share for a command when something that helps was not run first.
const MIN_FAILED_SHARE_WITHOUT_HELP: f64 = 0.5;

/// The minimum share of failures among the runs with a word that an error named.
const MIN_SHARE_WITH_WORD: f64 = 0.6;

/// How many of the failures are searched for a recurring error.
const MAX_SEARCHED_FAILURES: usize = 8;

/// How old a failure may be.
const MAX_AGE: Duration = Duration::from_secs(120 * 24 * 60 * 60);

/// What is known about a failure, as a line to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The newest failure.
    pub(crate) entry: EntryId,
    /// When it happened.
    pub(crate) at: Timestamp,
    /// All failures the line is about.
    pub(crate) failures: Vec<EntryId>,
    /// The line.
    pub(crate) text: String,
}

/// Who asks, where and when.
pub(crate) struct Asker<'a> {
    pub(crate) reader: &'a Reader<'a>,
    pub(crate) project: ProjectId,
    pub(crate) session: Option<SessionId>,
    pub(crate) now: Timestamp,
}

impl Asker<'_> {
    /// The runs with a mark in other sessions, newest first.
    pub(super) fn runs(&self, mark: i64) -> Result<Vec<Attempt>, Fault> {
        let mut runs = self.reader.attempts(self.project, mark, MAX_RUNS)?;
        let oldest = self.now.minus(MAX_AGE);
        runs.retain(|run| Some(run.session) != self.session && run.at >= oldest);
        Ok(runs)
    }

    /// Whether the newest run with a mark in the caller's own session passed.
    fn passes_here(&self, mark: i64) -> Result<bool, Fault> {
        let Some(session) = self.session else { return Ok(false) };
        let runs = self.reader.attempts(self.project, mark, MAX_RUNS)?;
        Ok(runs.iter().find(|run| run.session == session).is_some_and(|run| !run.failed))
    }

    /// The failed runs among them.
    pub(super) fn failures(&self, mark: i64) -> Result<Vec<Attempt>, Fault> {
        let mut runs = self.runs(mark)?;
        runs.retain(|run| run.failed);
        Ok(runs)
    }
}

/// Whether the caller was already given something about one of these failures. Only called if there
/// are any.
type AlreadyGiven<'h> = &'h dyn Fn(&[Attempt]) -> Result<bool, Fault>;

/// What to report before a command runs.
pub(crate) fn before(
    asker: &Asker<'_>,
    has: AlreadyGiven<'_>,
    command: &str,
) -> Result<Option<Known>, Fault> {
    let parts = parts(command);
    for part in &parts {
        if asker.passes_here(marks::of_run(part))? {
            continue;
        }
        // An error about a word that was typed says by itself what not to type.
        let (failures, error, names_words) = match failures_of_words(asker, part)? {
            Some(failures) => (failures, None, true),
            None => match recurring_failures(asker, part, &parts)? {
                Some((failures, error)) => (failures, Some(error), false),
                None => continue,
            },
        };
        if has(&failures)? {
            return Ok(None);
        }
        return report(asker, part, &failures, error.as_deref(), names_words);
    }
    Ok(None)
}

/// Failures with an error about a word of this command. There is no warning if the newest run
/// passed.
fn failures_of_words(asker: &Asker<'_>, part: &Part) -> Result<Option<Vec<Attempt>>, Fault> {
    for (mark, proof) in marks::of_names(part) {
        let runs = asker.runs(mark)?;
        let failures: Vec<Attempt> = runs.iter().copied().filter(|run| run.failed).collect();
        let is_always = failures.len() == runs.len();
        let is_enough = match proof {
            Proof::Mostly => failures.len() as f64 >= MIN_SHARE_WITH_WORD * runs.len() as f64,
            Proof::Always => is_always,
            Proof::AlwaysAgain => is_always && sessions(&failures) > 1,
        };
        if runs.first().is_some_and(|run| run.failed) && is_enough {
            return Ok(Some(failures));
        }
    }
    Ok(None)
}

/// Failures of the same command with the same error, if it never passed, fails in most sessions, or
/// fails in half of those that did not first run what helps. Work in progress that does not compile
/// teaches nothing, so the error must recur or be about what was typed.
fn recurring_failures(
    asker: &Asker<'_>,
    part: &Part,
    line: &[Part],
) -> Result<Option<(Vec<Attempt>, String)>, Fault> {
    // Two programs or queries quoted as one word have nothing in common. A commit message is
    // different.
    let has_text =
        part.words.iter().any(|word| word.contains(char::is_whitespace)) && part.program() != "git";
    if part.is_look() || has_text {
        return Ok(None);
    }
    let runs = asker.runs(marks::of_run(part))?;
    let tries = Tries::of(&runs);
    let never_passed = tries.failed_count() > 0 && runs.iter().all(|run| run.failed);
    let recent = tries.newest(WINDOW_SESSIONS);
    let failures: Vec<Attempt> =
        runs.iter().copied().filter(|run| run.failed && recent.has(run.session)).collect();
    if never_passed || recent.failed_count() >= MIN_FAILURES && recent.failed_share() >= MIN_FAILED_SHARE {
        return Ok(recurring(asker.reader, &failures)?.map(|(error, of_it)| (of_it, error)));
    }
    if tries.failed_count() < MIN_FAILURES {
        return Ok(None);
    }
    failures_without_fix(asker, &runs, &tries, line)
}

/// The usual outcome, if a command that helps was not run first. That predicts the outcome best.
fn failures_without_fix(
    asker: &Asker<'_>,
    runs: &[Attempt],
    tries: &Tries,
    line: &[Part],
) -> Result<Option<(Vec<Attempt>, String)>, Fault> {
    let failures: Vec<Attempt> = runs.iter().copied().filter(|run| run.failed).collect();
    let Some((error, of_it)) = recurring(asker.reader, &failures)? else { return Ok(None) };
    let Some(helps) = fix::seen(asker.reader, &of_it, &error)?.and_then(|seen| seen.command(MIN_FAILURES))
    else {
        return Ok(None);
    };
    let mut ran_first: HashMap<SessionId, Timestamp> = HashMap::new();
    for part in parts(&helps).iter().filter(|part| !part.is_look()) {
        let mark = marks::of_run(part);
        if line.iter().any(|own| marks::of_run(own) == mark) {
            return Ok(None);
        }
        for run in asker.reader.attempts(asker.project, mark, MAX_RUNS)? {
            let first = ran_first.entry(run.session).or_insert(run.at);
            *first = run.at.min(*first);
        }
    }
    if asker.session.is_some_and(|own| ran_first.contains_key(&own)) {
        return Ok(None);
    }
    let had_not = |one: &Try| ran_first.get(&one.session).is_none_or(|at| *at > one.first);
    let bare = tries.matching(had_not).newest(WINDOW_SESSIONS);
    let is_likely =
        bare.failed_count() >= MIN_FAILURES && bare.failed_share() >= MIN_FAILED_SHARE_WITHOUT_HELP;
    Ok(is_likely.then_some((of_it, error)))
}

/// The error that most sessions of these failures share, and its failures. At least two sessions
/// must share it, unless the error is about what was typed.
fn recurring(reader: &Reader<'_>, failures: &[Attempt]) -> Result<Option<(String, Vec<Attempt>)>, Fault> {
    let mut seen: Vec<(String, String, Vec<Attempt>)> = Vec::new();
    for failure in failures.iter().take(MAX_SEARCHED_FAILURES) {
        for line in errors_of(reader, failure.entry)? {
            if !fold::is_specific(&line) || blame::is_in_code(&line) {
                continue;
            }
            let folded = fold::error_with_quotes(&line);
            match seen.iter_mut().find(|(known, ..)| *known == folded) {
                Some((.., of_it)) => of_it.push(*failure),
                None => seen.push((folded, line, vec![*failure])),
            }
        }
    }
    // On a tie, the newest wins.
    let best = seen.into_iter().rev().max_by_key(|(_, _, of_it)| sessions(of_it));
    let best = best.filter(|(_, line, of_it)| sessions(of_it) > 1 || blame::recurs_when_retyped(line));
    Ok(best.map(|(_, line, of_it)| (line, of_it)))
}

/// What is known about a command that keeps failing, for the start of a session.
pub(crate) fn keeps_failing(asker: &Asker<'_>, command: &str) -> Result<Option<Known>, Fault> {
    for part in parts(command).iter().filter(|part| !part.is_look()) {
        let failures = asker.failures(marks::of_run(part))?;
        if !failures.is_empty() {
            return report(asker, part, &failures, None, false);
        }
    }
    Ok(None)
}

/// What to report after a command failed with this output.
pub(crate) fn after(
    asker: &Asker<'_>,
    has: AlreadyGiven<'_>,
    command: &str,
    output: &str,
) -> Result<Option<Known>, Fault> {
    if signature::is_agent_error(output) || signature::has_nothing_to_do(output) {
        return Ok(None);
    }
    let parts = parts(command);
    let mut without = None;
    for line in signature::telling_lines(output, MAX_ERROR_LINES) {
        let Some(culprit) = blame::culprit(&parts, &line).filter(|_| fold::is_specific(&line)) else {
            continue;
        };
        let failures = asker.failures(marks::of_error(culprit.program(), &line))?;
        if failures.is_empty() {
            continue;
        }
        if has(&failures)? {
            return Ok(None);
        }
        let seen = proven_fix(asker.reader, &failures, &line)?;
        let is_worth = seen.is_some() || without.is_none() && sessions(&failures) > 1;
        if !is_worth {
            continue;
        }
        let (error, seen) = (Some(line.as_str()), seen.as_ref());
        let report = Report { what: None, and_the_like: false, error, failures: &failures, seen };
        let found = known(&failures, fix::describe(&report));
        if seen.is_some() {
            return Ok(found);
        }
        without = found;
    }
    Ok(without)
}

/// Reports failures of a command, newest first. A single one without a proven fix is reported only
/// if its error names what was typed. If another command was the last to fail in the same way, that
/// one is named.
fn report(
    asker: &Asker<'_>,
    part: &Part,
    failures: &[Attempt],
    error: Option<&str>,
    names_words: bool,
) -> Result<Option<Known>, Fault> {
    let Some(newest) = failures.first() else { return Ok(None) };
    let line = match error {
        Some(line) => Some(line.to_owned()),
        None => error_of(asker.reader, newest.entry)?,
    };
    let row = asker.reader.documents(&[newest.entry])?.into_iter().next();
    let last = row.map(|row| parts(&row.body)).unwrap_or_default();
    let last = blame::culprit(&last, line.as_deref().unwrap_or_default()).filter(|last| *last != part);
    let and_the_like = last.is_some_and(|last| marks::of_run(last) != marks::of_run(part));
    let what = last.unwrap_or(part).text();
    let seen = proven_fix(asker.reader, failures, line.as_deref().unwrap_or_default())?;
    let is_typed =
        || names_words && names_typed(part, last.unwrap_or(part), line.as_deref().unwrap_or_default());
    if seen.is_none() && failures.len() == 1 && !is_typed() {
        return Ok(None);
    }
    let seen = seen.as_ref();
    let report = Report { what: Some(&what), and_the_like, error: line.as_deref(), failures, seen };
    Ok(known(failures, fix::describe(&report)))
}

/// Whether the error of a command names a word of another one as it was typed there, after the same
/// subcommand.
fn names_typed(part: &Part, failed: &Part, error: &str) -> bool {
    let subcommand = |part: &Part| part.words.get(1).filter(|word| !word.starts_with('-')).cloned();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let named: Vec<&str> = error.split(|c| !is_part(c)).map(|word| word.trim_end_matches('.')).collect();
    let is_named = |word: &String| word.len() > 1 && named.contains(&marks::name_of_flag(word));
    subcommand(part) == subcommand(failed) && part.words.iter().skip(1).any(is_named)
}

/// What helped, if a success proves it. An unproven fix is found on request and never injected.
fn proven_fix(reader: &Reader<'_>, failures: &[Attempt], error: &str) -> Result<Option<SeenFix>, Fault> {
    Ok(fix::seen(reader, failures, error)?.filter(|seen| seen.is_proven))
}

fn known(failures: &[Attempt], text: String) -> Option<Known> {
    let newest = failures.first()?;
    let all = failures.iter().map(|failure| failure.entry).collect();
    Some(Known { entry: newest.entry, at: newest.at, failures: all, text })
}

/// Whether a command that failed with an error passed after a time, in any session of a project.
pub(crate) fn has_passed_since(
    reader: &Reader<'_>,
    project: ProjectId,
    (command, error): (&str, &str),
    at: Timestamp,
) -> Result<bool, Fault> {
    let parts = parts(command);
    let Some(culprit) = blame::culprit(&parts, error).filter(|part| !part.is_look()) else {
        return Ok(false);
    };
    let runs = reader.attempts(project, marks::of_run(culprit), MAX_RUNS)?;
    Ok(runs.iter().any(|run| !run.failed && run.at > at))
}

// The sessions that ran a command, and in which of them it failed.

/// A session that ran a command.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Try {
    pub(super) session: SessionId,
    /// When it first ran the command.
    pub(super) first: Timestamp,
    /// Whether the command failed there at least once.
    failed: bool,
}

/// The sessions, newest first.
#[derive(Clone, Debug, Default)]
struct Tries(Vec<Try>);

impl Tries {
    /// The sessions of these runs. `runs` is newest first.
    pub(super) fn of(runs: &[Attempt]) -> Self {
        let mut tries: Vec<Try> = Vec::new();
        for run in runs {
            match tries.iter_mut().find(|known| known.session == run.session) {
                Some(known) => {
                    known.first = known.first.min(run.at);
                    known.failed |= run.failed;
                }
                None => tries.push(Try { session: run.session, first: run.at, failed: run.failed }),
            }
        }
        Self(tries)
    }

    /// The newest `most` of them.
    pub(super) fn newest(&self, most: usize) -> Self {
        Self(self.0.iter().copied().take(most).collect())
    }

    /// The sessions for which `holds` is true.
    pub(super) fn matching(&self, holds: impl Fn(&Try) -> bool) -> Self {
        Self(self.0.iter().copied().filter(holds).collect())
    }

    /// The number of sessions in which the command failed.
    fn failed_count(&self) -> usize {
        self.0.iter().filter(|one| one.failed).count()
    }

    /// The share of sessions in which the command failed.
    fn failed_share(&self) -> f64 {
        self.failed_count() as f64 / self.0.len().max(1) as f64
    }

    pub(super) fn has(&self, session: SessionId) -> bool {
        self.0.iter().any(|one| one.session == session)
    }
}
