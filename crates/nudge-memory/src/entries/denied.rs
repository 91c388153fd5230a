//! Writes without the right: recorded as failed, so that the caller and the user can see them.

use nudge_core::Fault;
use nudge_core::path::action_path;
use nudge_core::view::{EntryState, Visibility};
use nudge_store::{EntryDraft, SecretPolicy, ViewChange};
use serde_json::Map;

use super::outcome::EntryResult;
use super::place::Place;
use crate::caller::Surface;
use crate::operation::OpContext;

/// How many such records a viewer keeps. An agent in a loop must not fill the store.
const KEPT_MOST: usize = 100;

/// The outcome of a write without the right.
pub(super) const PERMISSION: &str = "permission:403";

/// Records a refused write, and answers with it. What was to be written is not stored.
pub(super) fn record(
    ctx: &OpContext<'_>,
    place: &Place,
    verb: &str,
    path: &str,
    why: &str,
    next: &str,
) -> Result<EntryResult, Fault> {
    let mut result = EntryResult::failed(path, PERMISSION, why);
    if !next.is_empty() {
        result = result.next(next);
    }
    if ctx.caller.surface == Surface::Run {
        // The record of the call says it.
        return Ok(result);
    }
    // Before it becomes a part of a path, in which a credential is not found any more.
    let path = &*nudge_secrets::redact(path);
    let Ok(record) = action_path(0, verb, path) else { return Ok(result) };
    let writer = ctx.writer()?;
    let scope = place.viewer().clone();
    let before = writer.entry(&scope, &record)?;
    if before.as_ref().is_some_and(|entry| place.must_propose(entry)) {
        // What the user wrote under this path stays.
        return Ok(result);
    }
    if before.is_none() && refused_before(ctx, place)? >= KEPT_MOST {
        return Ok(result);
    }
    let mut attributes = Map::new();
    attributes.insert("verb".to_owned(), verb.into());
    attributes.insert("path".to_owned(), path.into());
    let written = writer.put_entry(&EntryDraft {
        scope: scope.clone(),
        path: record,
        body: why.to_owned(),
        attributes,
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Redact,
        now: ctx.now(),
    })?;
    let change = ViewChange {
        visibility: Some(Visibility::Visible),
        state: Some((EntryState::Failed, Some(PERMISSION.to_owned()))),
        is_write: true,
        ..ViewChange::default()
    };
    writer.change_view(&scope, written.id, &change, ctx.now())?;
    result.id = Some(written.id.0);
    Ok(result)
}

fn refused_before(ctx: &OpContext<'_>, place: &Place) -> Result<usize, Fault> {
    let views = ctx.store().views(place.viewer())?;
    let refused = |state, outcome: Option<&str>| state == EntryState::Failed && outcome == Some(PERMISSION);
    Ok(views.iter().filter(|view| refused(view.state, view.outcome.as_deref())).count())
}
