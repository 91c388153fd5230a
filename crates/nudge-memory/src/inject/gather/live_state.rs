//! The live state of a session: the items it marked as relevant and its hypothesis. A new session
//! gets what the project's last one left of both.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use nudge_context::{
    Hypothesis, HypothesisReason, Marked, Note, RelativePlace, RunMeaning, Section, Trigger, clean,
    path_named,
};
use nudge_core::context_set::{FILES, resume_parts};
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{Attempt, Reader, SessionId, SessionRow};
use serde_json::Value;

use super::gathering::{Gathered, Gathering};
use crate::context_sets::{ENV_HINT, StoredSet, said_of, sets_of};
use crate::failures::{self, Asker};
use crate::hypotheses::{self, FREQUENCY, GhapRecord, Stored};
use crate::inject::cooldown::SILENCED;
use crate::inject::ledger;
use crate::inject::request::InjectionRequest;
use crate::operation::OWN;

/// How many of the newest sessions, and how far back, are searched for one that marked something.
const LOOKED_AT: u32 = 10;

const LATELY: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many wrong hypotheses are shown.
const RULED_OUT: u32 = 2;

/// How much of a name and of an item is shown, in characters.
const NAME: usize = 60;

const ITEM: usize = 200;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let reader = request.reader;
    let goes_on = request.trigger.is_recovery() || request.trigger == nudge_context::Trigger::Resume;
    let facts = &mut gathered.facts;
    if let Some(session) = request.session.as_ref().filter(|_| goes_on) {
        let has = if request.trigger.is_recovery() {
            EntriesInContext::default()
        } else {
            EntriesInContext::of(request, session)?
        };
        facts.marked = marked(reader, session, None, &has)?;
        let active = hypotheses::active_of(reader, session.id)?;
        let active = active.filter(|stored| !has.has_current(stored.row.entry, stored.row.created_at));
        facts.hypotheses.extend(active.map(|stored| {
            let contradicted = stored.record.contradicted.as_ref().map(|run| run.result.clone());
            hypothesis_of(stored, HypothesisReason::Open { contradicted })
        }));
        if request.trigger.is_recovery() {
            facts.hypotheses.extend(ruled_out(request)?);
        }
    } else {
        if let Some(session) = last_that_marked(gathering)? {
            // If no agent had a session yet, the user marked it.
            let agent = Some(session.harness.clone()).filter(|harness| harness != OWN);
            let by = (agent, reader.last_activity(&session)?);
            facts.marked = marked(reader, &session, Some(by), &EntriesInContext::default())?;
        }
        let own = request.session.as_ref().map(|session| session.id);
        let orphans = hypotheses::orphans_of(reader, request.project, own, request.now)?;
        facts.hypotheses.extend(
            orphans.into_iter().take(1).map(|stored| hypothesis_of(stored, HypothesisReason::Orphan)),
        );
        facts.hypotheses.extend(ruled_out(request)?);
    }
    facts.hypotheses.retain(|one| !gathering.cooldown.is_silenced(one.entry));
    Ok(())
}

/// Hypotheses that turned out wrong recently.
fn ruled_out(request: &InjectionRequest<'_>) -> Result<Vec<Hypothesis>, Fault> {
    let wrong = hypotheses::ruled_out(request.reader, request.project, RULED_OUT, request.now)?;
    let lines = wrong.into_iter().map(|stored| {
        let cause = stored.record.root_cause.as_ref().map(|cause| cause.description.clone());
        hypothesis_of(stored, HypothesisReason::RuledOut { cause })
    });
    Ok(lines.collect())
}

/// What a tool call means for the session's hypothesis: a run decided it, or it is time to check
/// in. The flag is true if a run decided.
fn at_tool(request: &InjectionRequest<'_>) -> Result<Option<(Hypothesis, bool)>, Fault> {
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
    Ok((tools >= FREQUENCY).then(|| (hypothesis_of(active, HypothesisReason::CheckIn(tools)), false)))
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

fn hypothesis_of(stored: Stored, why: HypothesisReason) -> Hypothesis {
    let at = stored.row.resolved_at.unwrap_or(stored.row.created_at);
    hypothesis_line(stored.row.entry, at, stored.record, why)
}

fn hypothesis_line(entry: EntryId, at: Timestamp, record: GhapRecord, why: HypothesisReason) -> Hypothesis {
    let GhapRecord { id, goal, hypothesis, prediction, .. } = record;
    Hypothesis { entry, at, id, goal, hypothesis, prediction, why }
}

/// The entries about its live state that a session has in its context, and since when.
#[derive(Default)]
struct EntriesInContext {
    since: Vec<(EntryId, Timestamp)>,
}

impl EntriesInContext {
    fn of(request: &InjectionRequest<'_>, session: &SessionRow) -> Result<Self, Fault> {
        let sections = [Section::Context, Section::Hypothesis];
        Ok(Self { since: ledger::given(request.reader, session.id, &sections)? })
    }

    /// Whether it has an entry in its current version.
    fn has_current(&self, entry: EntryId, changed: Timestamp) -> bool {
        self.since.iter().any(|(known, at)| *known == entry && *at >= changed)
    }
}

/// The newest other session of the project that marked something lately. A session still at work is
/// left out, because it needs its marks itself.
fn last_that_marked(gathering: &Gathering<'_>) -> Result<Option<SessionRow>, Fault> {
    let request = gathering.request;
    let own = request.session.as_ref().map(|session| session.id);
    for session in request.reader.agent_sessions_of(request.project, LOOKED_AT)? {
        let is_other = Some(session.id) != own && !gathering.own.contains(&session.id);
        if !is_other || session.parent.is_some() || gathering.place(session.id) == RelativePlace::Parallel {
            continue;
        }
        let is_recent = request.reader.last_activity(&session)? >= request.now.minus(LATELY);
        let has_set = sets_of(request.reader, &session)?.iter().any(|set| !set.items.is_empty());
        if is_recent && has_set {
            return Ok(Some(session));
        }
    }
    Ok(None)
}

/// The items that a session marked, made safe to show; `None` if there are none, or none new.
fn marked(
    reader: &Reader<'_>,
    session: &SessionRow,
    by: Option<(Option<String>, Timestamp)>,
    has: &EntriesInContext,
) -> Result<Option<Marked>, Fault> {
    let sets: Vec<StoredSet> =
        sets_of(reader, session)?.into_iter().filter(|set| !set.items.is_empty()).collect();
    let is_new = |set: &StoredSet| !has.has_current(set.entry, set.updated_at);
    if !sets.iter().any(is_new) {
        return Ok(None);
    }
    let said = said_of(reader, session)?;
    let environment = said.get(ENV_HINT).and_then(Value::as_str).map(|hint| clean(hint, ITEM));
    let mut there = HashSet::new();
    let mut shown: Vec<(String, Vec<String>)> = Vec::new();
    for set in &sets {
        let is_files = set.name == FILES;
        let items = set.items.iter().map(|item| {
            let harmless = if is_files { path_named(item, ITEM) } else { clean(item, ITEM) };
            if is_files && Path::new(item).exists() {
                there.insert(harmless.clone());
            }
            harmless
        });
        let items = items.collect();
        shown.push((clean(&set.name, NAME), items));
    }
    let named = shown.iter().map(|(name, items)| (name.as_str(), items.as_slice()));
    let parts = resume_parts(environment.as_deref(), named, &|file| there.contains(file));
    let entry_of = |name: Option<&str>| {
        let set = sets.iter().find(|set| name == Some(clean(&set.name, NAME).as_str()))?;
        Some(set.entry)
    };
    let parts = parts.into_iter().map(|(name, text)| (entry_of(name), text)).collect();
    Ok(Some(Marked { by, parts }))
}

// Earlier failures like that of the command at hand, and what a tool call means for a hypothesis.

/// Gathers what is known about the tool call at hand. Most commands never failed and most sessions
/// have no hypothesis; then only enough is read to find that out.
pub(super) fn gather_at_tool(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::default();
    let Some(session) = &request.session else { return Ok(gathered) };
    let tried = at_tool(request)?;
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
