//! The live state of a session: the items it marked as relevant and its hypothesis. A new session
//! gets what the project's last one left of both.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use nudge_context::{Hypothesis, HypothesisReason, Marked, RelativePlace, Section, clean, path_named};
use nudge_core::context_set::{FILES_SET, resume_parts};
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{Reader, SessionRow};
use serde_json::Value;

use super::gathering::{Gathered, Gathering};
use crate::context_sets::{ENV_HINT, StoredSet, sets_of, stated_about};
use crate::hypotheses::{self, GhapRecord, Stored};
use crate::inject::ledger;
use crate::inject::request::InjectionRequest;
use crate::operation::OWN;

/// How many of the newest sessions, and how far back, are searched for one that marked something.
const MAX_SEARCHED_SESSIONS: u32 = 10;

const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many wrong hypotheses are shown.
const MAX_RULED_OUT: u32 = 2;

/// How much of a name and of an item is shown, in characters.
const MAX_NAME_CHARS: usize = 60;

const MAX_ITEM_CHARS: usize = 200;

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
    let wrong = hypotheses::ruled_out(request.reader, request.project, MAX_RULED_OUT, request.now)?;
    let lines = wrong.into_iter().map(|stored| {
        let cause = stored.record.root_cause.as_ref().map(|cause| cause.description.clone());
        hypothesis_of(stored, HypothesisReason::RuledOut { cause })
    });
    Ok(lines.collect())
}

pub(super) fn hypothesis_of(stored: Stored, why: HypothesisReason) -> Hypothesis {
    let at = stored.row.resolved_at.unwrap_or(stored.row.created_at);
    hypothesis_line(stored.row.entry, at, stored.record, why)
}

pub(super) fn hypothesis_line(
    entry: EntryId,
    at: Timestamp,
    record: GhapRecord,
    why: HypothesisReason,
) -> Hypothesis {
    let GhapRecord { id, goal, hypothesis, prediction, .. } = record;
    Hypothesis { entry, at, id, goal, hypothesis, prediction, why }
}

/// The entries about its live state that a session has in its context, and since when.
#[derive(Default)]
pub(super) struct EntriesInContext {
    since: Vec<(EntryId, Timestamp)>,
}

impl EntriesInContext {
    pub(super) fn of(request: &InjectionRequest<'_>, session: &SessionRow) -> Result<Self, Fault> {
        let sections = [Section::Context, Section::Hypothesis];
        Ok(Self { since: ledger::given(request.reader, session.id, &sections)? })
    }

    /// Whether it has an entry in its current version.
    pub(super) fn has_current(&self, entry: EntryId, changed: Timestamp) -> bool {
        self.since.iter().any(|(known, at)| *known == entry && *at >= changed)
    }
}

/// The newest other session of the project that marked something lately. A session still at work is
/// left out, because it needs its marks itself.
fn last_that_marked(gathering: &Gathering<'_>) -> Result<Option<SessionRow>, Fault> {
    let request = gathering.request;
    let own = request.session.as_ref().map(|session| session.id);
    for session in request.reader.agent_sessions_of(request.project, MAX_SEARCHED_SESSIONS)? {
        let is_other = Some(session.id) != own && !gathering.own.contains(&session.id);
        if !is_other || session.parent.is_some() || gathering.place(session.id) == RelativePlace::Parallel {
            continue;
        }
        let is_recent = request.reader.last_activity(&session)? >= request.now.minus(MAX_AGE);
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
    let stated = stated_about(reader, session)?;
    let environment = stated.get(ENV_HINT).and_then(Value::as_str).map(|hint| clean(hint, MAX_ITEM_CHARS));
    let mut there = HashSet::new();
    let mut shown: Vec<(String, Vec<String>)> = Vec::new();
    for set in &sets {
        let is_files = set.name == FILES_SET;
        let items = set.items.iter().map(|item| {
            let harmless =
                if is_files { path_named(item, MAX_ITEM_CHARS) } else { clean(item, MAX_ITEM_CHARS) };
            if is_files && Path::new(item).exists() {
                there.insert(harmless.clone());
            }
            harmless
        });
        let items = items.collect();
        shown.push((clean(&set.name, MAX_NAME_CHARS), items));
    }
    let named = shown.iter().map(|(name, items)| (name.as_str(), items.as_slice()));
    let parts = resume_parts(environment.as_deref(), named, &|file| there.contains(file));
    let entry_of = |name: Option<&str>| {
        let set = sets.iter().find(|set| name == Some(clean(&set.name, MAX_NAME_CHARS).as_str()))?;
        Some(set.entry)
    };
    let parts = parts.into_iter().map(|(name, text)| (entry_of(name), text)).collect();
    Ok(Some(Marked { by, parts }))
}
