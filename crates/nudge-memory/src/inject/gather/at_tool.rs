//! What is known about the command at hand: earlier failures like it and what helped, and what it
//! means for the session's hypothesis.

use std::collections::HashSet;

use nudge_context::{Hypothesis, HypothesisReason, Note, RunMeaning, Section, Trigger};
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{Attempt, SessionId, SessionRow};

use super::gathering::Gathered;
use super::live_state::{EntriesInContext, hypothesis_line, hypothesis_of};
use crate::failures::{self, Asker};
use crate::hypotheses::{self, CALLS_BETWEEN_CHECK_INS, Stored};
use crate::inject::cooldown::SILENCED;
use crate::inject::ledger;
use crate::inject::request::InjectionRequest;

/// Gathers what is known about the tool call at hand. Most commands never failed and most sessions
/// have no hypothesis; then only enough is read to find that out.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::default();
    let Some(session) = &request.session else { return Ok(gathered) };
    let tried = hypothesis(request)?;
    let found = failure(request, session.id)?;
    let is_decided = tried.as_ref().is_some_and(|(_, has_changed)| *has_changed);
    if tried.is_none() && found.is_none() {
        return Ok(gathered);
    }
    if !is_decided && ledger::has_enough(request.reader, request.trigger, session.id, request.now)? {
        return Ok(gathered);
    }
    let silenced = request.reader.silenced(request.project)?;
    gathered.is_decided = is_decided;
    let tried = tried.into_iter().map(|(one, _)| one).filter(|one| !silenced.contains(&one.entry));
    gathered.facts.hypotheses = tried.collect();
    match found {
        Some(found) if found.failures.iter().any(|failure| silenced.contains(failure)) => {
            gathered.facts.withheld.push((found.entry, SILENCED));
        }
        Some(found) => gathered.facts.notes.push(Note {
            entry: Some(found.entry),
            at: found.at,
            text: nudge_secrets::redact(&found.text).into_owned(),
        }),
        None => {}
    }
    Ok(gathered)
}

/// The earlier failure that matches the command, before or after it runs.
fn failure(request: &InjectionRequest<'_>, session: SessionId) -> Result<Option<failures::Known>, Fault> {
    let Some(command) = &request.command else { return Ok(None) };
    let (reader, project) = (request.reader, request.project);
    let asker = Asker { reader, project, session: Some(session), now: request.now };
    let has = |failures: &[Attempt]| {
        let injected = injected(request, session)?;
        Ok(failures.iter().any(|failure| injected.contains(&failure.entry)))
    };
    match request.trigger {
        Trigger::BeforeTool => failures::before(&asker, &has, &command.line),
        // A run that passed is checked for what it decides, not for earlier failures.
        _ if command.run.as_ref().is_some_and(|run| run["verdict"] == "passed") => Ok(None),
        _ => failures::after(&asker, &has, &command.line, &command.output),
    }
}

/// The failures that were injected into the session with what followed them, and that it still has.
fn injected(request: &InjectionRequest<'_>, session: SessionId) -> Result<HashSet<EntryId>, Fault> {
    let given = ledger::given(request.reader, session, &[Section::Failed, Section::Notes])?;
    Ok(given.into_iter().map(|(entry, _)| entry).collect())
}

/// What a tool call means for the session's hypothesis: a run decided it, or it is time to check
/// in. The flag is true if a run decided.
fn hypothesis(request: &InjectionRequest<'_>) -> Result<Option<(Hypothesis, bool)>, Fault> {
    let Some(session) = &request.session else { return Ok(None) };
    if let Some(command) = &request.command {
        let run = command.run.as_ref();
        let outcome = hypotheses::outcome_of_run(request.reader, session.id, &command.line, run, request.at)?;
        let outcome = match outcome {
            // A mere suggestion is shown once for each version of the hypothesis.
            Some(outcome) if !outcome.has_changed => {
                let has = EntriesInContext::of(request, session)?;
                Some(outcome).filter(|outcome| !has.has_current(outcome.entry, outcome.record.since()))
            }
            outcome => outcome,
        };
        if let Some(outcome) = outcome {
            let means = match (outcome.passed, outcome.has_changed) {
                (true, true) => RunMeaning::Confirmed,
                (false, true) => RunMeaning::Contradicted,
                (true, false) => RunMeaning::Passed,
                (false, false) => RunMeaning::Failed,
            };
            let why = HypothesisReason::Ran { result: outcome.result, means };
            let one = hypothesis_line(outcome.entry, outcome.at, outcome.record, why);
            return Ok(Some((one, outcome.has_changed)));
        }
    }
    let Some(active) = hypotheses::active_of(request.reader, session.id)? else { return Ok(None) };
    if let Some(result) = unreported_contradiction(request, session, &active)? {
        return Ok(Some((
            hypothesis_of(active, HypothesisReason::Ran { result, means: RunMeaning::Contradicted }),
            true,
        )));
    }
    let tools = session.activity.tool_count;
    Ok((tools >= CALLS_BETWEEN_CHECK_INS)
        .then(|| (hypothesis_of(active, HypothesisReason::CheckIn(tools)), false)))
}

/// A run's result that contradicts a hypothesis and was not yet reported to its agent, because the
/// run's hook had no time or the transcript reported how the run ended.
fn unreported_contradiction(
    request: &InjectionRequest<'_>,
    session: &SessionRow,
    active: &Stored,
) -> Result<Option<String>, Fault> {
    let Some(run) = &active.record.contradicted else { return Ok(None) };
    let at = Timestamp::parse(&run.at).unwrap_or(active.row.created_at);
    let is_said = EntriesInContext::of(request, session)?.has_current(active.row.entry, at);
    Ok((!is_said).then(|| run.result.clone()))
}
