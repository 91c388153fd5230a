//! Records of calls that wait for the user: their proposals, what is written into them, and what
//! the user allowed ahead.

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::run::RunState;
use nudge_core::{Entry, Fault, FaultKind, Provenance, Timestamp};
use nudge_memory::operation::OpContext;
use nudge_memory::review;
use nudge_store::{EntryDraft, Reader, RunRow, SecretPolicy, ViewChange, Writer};
use serde_json::{Map, Value};

use super::log;
use crate::proposals::Allowed;

/// The attribute of a record with the ids of its proposals.
pub(super) const PROPOSALS: &str = "proposals";

/// The attribute that says that what it would change has changed since: it is proposed again.
pub(super) const STALE: &str = "stale";

/// The attribute of a run's entry with what the user allowed ahead.
const ALLOWED: &str = "allowed";

/// What the user allowed a run ahead.
pub(super) fn allowed(reader: &Reader<'_>, run: &RunRow, is_yolo: bool) -> Result<Allowed, Fault> {
    let entry = reader.entry_by_id(run.entry)?;
    let stored = entry.and_then(|entry| serde_json::from_value(entry.attributes.get(ALLOWED)?.clone()).ok());
    Ok(Allowed { yolo: is_yolo, ..stored.unwrap_or_default() })
}

/// Allows a run more, from now on.
pub(super) fn allow(
    ctx: &OpContext<'_>,
    run: &RunRow,
    change: impl FnOnce(&mut Allowed),
) -> Result<(), Fault> {
    let writer = ctx.writer()?;
    let mut now = allowed(writer, run, false)?;
    change(&mut now);
    let Some(mut entry) = writer.entry_by_id(run.entry)? else { return Ok(()) };
    entry.attributes.insert(ALLOWED.to_owned(), serde_json::to_value(&now).unwrap_or_default());
    put(ctx, &entry, ctx.provenance()?)
}

/// The ids of the proposals of a record.
pub(super) fn ids_of(entry: &Entry) -> Vec<i64> {
    let ids = entry.attributes.get(PROPOSALS).and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// A run that waited goes on.
pub(super) fn go_on(writer: &Writer<'_>, run: &RunRow, now: Timestamp) -> Result<(), Fault> {
    if writer.run(run.id)?.is_some_and(|run| run.state == RunState::Proposed) {
        writer.set_run_state(run.id, RunState::Running, None, now)?;
    }
    writer.touch(run.entry, now)?;
    Ok(())
}

/// Writes a record anew: its text, its state, and more facts.
pub(super) fn rewrite(
    ctx: &OpContext<'_>,
    run: &RunRow,
    entry: &Entry,
    body: &str,
    state: (EntryState, Option<String>),
    more: Option<Map<String, Value>>,
) -> Result<(), Fault> {
    let mut entry = entry.clone();
    body.clone_into(&mut entry.body);
    entry.attributes.remove(STALE);
    entry.attributes.extend(more.into_iter().flatten());
    put(ctx, &entry, log::by_nudge(run))?;
    let change = ViewChange {
        state: Some(state),
        visibility: Some(Visibility::Visible),
        is_write: true,
        ..ViewChange::default()
    };
    ctx.writer()?.change_view(&run.scope, entry.id, &change, ctx.now())?;
    Ok(())
}

/// Writes an entry as it is given.
pub(super) fn put(ctx: &OpContext<'_>, entry: &Entry, by: Provenance) -> Result<(), Fault> {
    ctx.writer()?.put_entry(&EntryDraft {
        scope: entry.scope.clone(),
        path: entry.path.clone(),
        body: entry.body.clone(),
        attributes: entry.attributes.clone(),
        provenance: by,
        secrets: SecretPolicy::Redact,
        now: ctx.now(),
    })?;
    Ok(())
}

/// Drops the proposals of a record that nobody waits for any more.
pub(super) fn withdraw(ctx: &OpContext<'_>, entry: &Entry) -> Result<(), Fault> {
    for id in ids_of(entry) {
        match review::withdraw(ctx, id) {
            Err(fault) if fault.kind != FaultKind::NotFound => return Err(fault),
            _ => {}
        }
    }
    Ok(())
}
