//! Hypotheses in the store: reading, writing and finding them.

use std::time::Duration;

use nudge_core::hypothesis::{Domain, Status, Strategy};
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_store::{
    EntryDraft, HypothesisFilter, HypothesisRow, ProjectId, Reader, SecretPolicy, SessionId, Writer,
};
use serde_json::Value;

use super::record::GhapRecord;
use crate::operation::OpContext;
use crate::recall::{ProjectParam, projects_meant};

/// The scheme of hypotheses.
const SCHEME: &str = "ghap";

/// A session that was silent for this long does not continue its hypothesis by itself.
const MAX_SILENCE: Duration = Duration::from_secs(4 * 60 * 60);

/// How many open hypotheses of a project are searched for an orphan.
const MAX_OPEN: u32 = 20;

/// How many hypotheses of a session are read.
const MAX_OF_SESSION: u32 = 200;

/// How far back ruled-out hypotheses are considered.
const MAX_RULED_OUT_AGE: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// A hypothesis and its row in the store.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    pub(crate) row: HypothesisRow,
    pub(crate) scope: Scope,
    pub(crate) record: GhapRecord,
}

impl Stored {
    /// Reads an entry; `None` if its record is unreadable.
    fn of(row: HypothesisRow, entry: Entry) -> Option<Self> {
        let record = serde_json::from_value(Value::Object(entry.attributes)).ok()?;
        Some(Self { row, scope: entry.scope, record })
    }

    /// Writes it as it is now.
    pub(super) fn put(
        &mut self,
        writer: &Writer<'_>,
        by: &Provenance,
        secrets: SecretPolicy,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let written = writer.put_entry(&draft(&self.scope, &self.record, by, secrets, now)?)?;
        self.row.entry = written.id;
        self.row.status = self.record.status();
        self.row.root_cause = self.record.root_cause.as_ref().map(|cause| cause.category.0);
        self.row.strategy = self.record.strategy.0;
        self.row.resolved_at = (self.row.status != Status::Active).then_some(now);
        writer.put_hypothesis(&self.row)?;
        Ok(())
    }
}

fn draft(
    scope: &Scope,
    record: &GhapRecord,
    by: &Provenance,
    secrets: SecretPolicy,
    now: Timestamp,
) -> Result<EntryDraft, Fault> {
    let path = EntryPath::from_parts(SCHEME, &[&record.id], None)
        .map_err(|error| Fault::invalid("id", error.to_string()).with("field", "id"))?;
    let Ok(Value::Object(attributes)) = serde_json::to_value(record) else {
        return Err(Fault::new(FaultKind::Internal, "unserialisable", "cannot write the hypothesis as JSON"));
    };
    Ok(EntryDraft {
        scope: scope.clone(),
        path,
        body: record.body(),
        attributes,
        provenance: by.clone(),
        secrets,
        now,
    })
}

/// The hypothesis with this id.
pub(super) fn one(reader: &Reader<'_>, id: EntryId) -> Result<Option<Stored>, Fault> {
    let (Some(row), Some(entry)) = (reader.hypothesis(id)?, reader.entry_by_id(id)?) else { return Ok(None) };
    Ok(Stored::of(row, entry))
}

/// The hypothesis with this name, from the first project with one that is open to the caller.
pub(super) fn named(ctx: &OpContext<'_>, id: &str) -> Result<Stored, Fault> {
    let missing = || {
        Fault::new(FaultKind::NotFound, "unknown_ghap", format!("there is no hypothesis {id}"))
            .with("field", "id")
            .next("list_ghap_entries lists them")
    };
    let path = EntryPath::from_parts(SCHEME, &[id], None).map_err(|_| missing())?;
    let reader = ctx.store();
    for (_, entry) in reader.scopes_of(&path)? {
        if let Some(found) = one(reader, entry)?
            && !ctx.hidden()?.hide(found.row.project)
        {
            return Ok(found);
        }
    }
    Err(missing())
}

/// The hypothesis that a session is working on.
pub(crate) fn active_of(reader: &Reader<'_>, session: SessionId) -> Result<Option<Stored>, Fault> {
    match reader.active_hypothesis(session)? {
        Some(id) => one(reader, id),
        None => Ok(None),
    }
}

/// Open hypotheses of a project that nobody works on any more, newest first: their sessions have
/// ended, have been silent for four hours, or no longer exist.
pub(crate) fn orphans_of(
    reader: &Reader<'_>,
    project: ProjectId,
    besides: Option<SessionId>,
    now: Timestamp,
) -> Result<Vec<Stored>, Fault> {
    let mut orphans = Vec::new();
    for entry in reader.active_hypotheses_in(project, MAX_OPEN)? {
        let Some(row) = reader.hypothesis(entry.id)?.filter(|row| Some(row.session) != besides) else {
            continue;
        };
        let is_left = match reader.agent_session(row.session)? {
            Some(session) => {
                session.ended_at.is_some() || reader.last_activity(&session)? < now.minus(MAX_SILENCE)
            }
            None => true,
        };
        orphans.extend(Stored::of(row, entry).filter(|_| is_left));
    }
    Ok(orphans)
}

/// Hypotheses of a project that turned out wrong recently, newest first.
pub(crate) fn ruled_out(
    reader: &Reader<'_>,
    project: ProjectId,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<Stored>, Fault> {
    let filter = HypothesisFilter {
        project: Some(project),
        status: Some(Status::Falsified),
        since: Some(now.minus(MAX_RULED_OUT_AGE)),
        ..HypothesisFilter::default()
    };
    all(reader, filter, limit)
}

/// The newest hypothesis of a session.
pub(super) fn last_of(reader: &Reader<'_>, session: SessionId) -> Result<Option<Stored>, Fault> {
    let filter = HypothesisFilter { session: Some(session), ..HypothesisFilter::default() };
    Ok(all(reader, filter, 1)?.into_iter().next())
}

/// The hypotheses of a session with this outcome, newest first.
pub(crate) fn of_session(
    reader: &Reader<'_>,
    session: SessionId,
    status: Status,
) -> Result<Vec<Stored>, Fault> {
    let filter =
        HypothesisFilter { session: Some(session), status: Some(status), ..HypothesisFilter::default() };
    all(reader, filter, MAX_OPEN)
}

/// All hypotheses of a session, newest first.
pub(crate) fn hypotheses_in(reader: &Reader<'_>, session: SessionId) -> Result<Vec<Stored>, Fault> {
    let filter = HypothesisFilter { session: Some(session), ..HypothesisFilter::default() };
    all(reader, filter, MAX_OF_SESSION)
}

/// Hypotheses, newest first.
pub(super) fn all(reader: &Reader<'_>, filter: HypothesisFilter, limit: u32) -> Result<Vec<Stored>, Fault> {
    let mut found = Vec::new();
    for row in reader.hypotheses(filter, limit)? {
        if let Some(entry) = reader.entry_by_id(row.entry)? {
            found.extend(Stored::of(row, entry));
        }
    }
    Ok(found)
}

// Selects experiences by project and filters.

/// How many of a project's newest experiences are read.
const MAX_SEARCHED: u32 = 2_000;

/// The filters.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) domain: Option<Domain>,
    pub(super) strategy: Option<Strategy>,
    pub(super) outcome: Option<Status>,
}

/// Resolved hypotheses, newest first.
pub(super) fn experiences(
    ctx: &OpContext<'_>,
    asked: &ProjectParam,
    wanted: Wanted,
) -> Result<Vec<Stored>, Fault> {
    let mut found = Vec::new();
    for project in projects_meant(ctx, asked)? {
        let filter = HypothesisFilter {
            project: Some(project),
            domain: wanted.domain,
            strategy: wanted.strategy,
            status: wanted.outcome,
            ..HypothesisFilter::default()
        };
        found.extend(all(ctx.store(), filter, MAX_SEARCHED)?);
    }
    found.retain(|stored| stored.record.status() != Status::Active);
    found.sort_by_key(|stored| std::cmp::Reverse((stored.row.created_at, stored.row.entry)));
    Ok(found)
}
