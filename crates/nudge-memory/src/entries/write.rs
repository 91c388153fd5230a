//! Writes one entry: rights, shadowing, authority, the edit itself, and the viewer's row.

use nudge_context::count_tokens;
use nudge_core::entry_state::EntryState;
use nudge_core::path::is_of_turn;
use nudge_core::scheme::{ScopeKind, rules_of};
use nudge_core::{Entry, EntryPath, Fault, Scope, Tier};
use nudge_grammar::Edit;
use nudge_store::{Ending, EntryDraft};
use serde_json::{Map, Value};

use super::change::{self, Change, Edited, MAX_BODY_BYTES, Wanted, edited, merged, too_large};
use super::file_write;
use super::kinds::{self, Kind};
use super::outcome::{self, EntryResult};
use super::place::VerbScope;
use super::select::Hit;
use super::shown::is_secret;
use crate::caller::Surface;
use crate::changes::with_attributes;
use crate::operation::OpContext;

/// The most tokens that an agent's entry of knowledge may have.
const MAX_KNOWN_TOKENS: u32 = 512;

/// The attributes that statements are known by; a plain entry beside them cannot have them.
const RESERVED_ATTRIBUTES: [&str; 4] = ["state", "category", "said", "times"];

/// Writes one entry. `verb` is the verb that asked for it.
pub(super) fn write(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &EntryPath,
    existing: Option<&Entry>,
    change: &Change,
) -> Result<EntryResult, Fault> {
    if let Some(refused) = refuse(ctx, place, verb, path, existing.is_some())? {
        return Ok(refused);
    }
    let only_views = existing.is_some() && !change.touches_entry() && !change.says_more();
    if is_of_turn(path) && ctx.caller.surface.tier() == Tier::Model && !only_views {
        return refuse_record(ctx, place, verb, path);
    }
    if existing.is_some_and(is_secret) {
        // Before any edit: whether one fits would tell what the value is.
        return Ok(kinds::secret(path.as_str()));
    }
    if let Some(expected) = change.expect
        && let Some(conflict) = version_conflict(path, existing, expected)
    {
        return Ok(conflict);
    }
    if path.scheme() == "run" {
        return Ok(EntryResult::failed(path.as_str(), "permission:403", "a model starts no runs"));
    }
    let kind = kinds::kind_of(ctx.store(), path, existing)?;
    if let Some(entry) = existing
        && matches!(kind, Kind::Plain | Kind::Statement)
        && (place.is_read_by_run(entry) || is_by_model(ctx, place, entry))
        && change.touches_entry()
    {
        return diverge(ctx, place, path, entry, change);
    }
    if kind == Kind::Hint && place.is_run() && !place.is_person() {
        let why = "hints hold in every project, and what a run writes stays in the run";
        let instead = "note it under `known://`; the user keeps it with `nudge run keep`";
        return outcome::record_denied(ctx, place, verb, path.as_str(), why, instead);
    }
    match kind {
        Kind::File => file_write::set(ctx, place, path, change),
        Kind::Proposal => change::decide(ctx, path, existing, change),
        Kind::Hint => {
            with_body(ctx, place, path, existing, change, |body| kinds::set_hint(ctx, path, existing, body))
        }
        Kind::Statement => with_body(ctx, place, path, existing, change, |body| match existing {
            Some(entry) => kinds::correct(ctx, entry, body),
            None => Ok(EntryResult::failed(path.as_str(), "not_found", "there is no such statement")),
        }),
        Kind::Plain => plain(ctx, place, verb, path, existing, change),
    }
}

/// Whether the model of a run writes an entry that is not of that run.
fn is_by_model(ctx: &OpContext<'_>, place: &VerbScope, entry: &Entry) -> bool {
    ctx.caller.surface == Surface::Run && place.is_run() && entry.scope != *place.viewer()
}

/// Refuses a write without the right, and one that would hide an entry of the project behind one
/// of the run.
pub(super) fn refuse(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &EntryPath,
    exists: bool,
) -> Result<Option<EntryResult>, Fault> {
    let rules = rules_of(path.scheme());
    let tier = ctx.caller.surface.tier();
    if !rules.may_write(tier) {
        let why = format!("entries of `{}` are not written by {}", path.scheme(), who(place));
        return outcome::record_denied(ctx, place, verb, path.as_str(), &why, rules.instead).map(Some);
    }
    if is_of_turn(path) && tier == Tier::Model && verb != "set" {
        return refuse_record(ctx, place, verb, path).map(Some);
    }
    if exists || rules.default_scope != ScopeKind::Run || !place.is_run() {
        return Ok(None);
    }
    let shadowed = ctx.store().scopes_of(path)?.into_iter().any(|(scope, _)| match scope {
        Scope::Global => true,
        scope => scope == *place.project(),
    });
    if !shadowed {
        return Ok(None);
    }
    let why = "the project has an entry with this path, and a run cannot hide it behind its own";
    outcome::record_denied(ctx, place, verb, path.as_str(), why, "use another path").map(Some)
}

fn refuse_record(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &EntryPath,
) -> Result<EntryResult, Fault> {
    let why = "a model does not write the record of what a run did";
    outcome::record_denied(
        ctx,
        place,
        verb,
        path.as_str(),
        why,
        "change your own view of it with `visibility`",
    )
}

const fn who(place: &VerbScope) -> &'static str {
    if place.is_person() { "people" } else { "agents" }
}

fn version_conflict(path: &EntryPath, existing: Option<&Entry>, expected: i64) -> Option<EntryResult> {
    let current = existing.map_or(0, |entry| entry.version);
    (current != expected).then(|| {
        let why = format!("it is at version {current}, not {expected}");
        EntryResult::failed(path.as_str(), "conflict", why).next("read it again, then retry with its version")
    })
}

/// Edits the body of an entry of a kind with its own rules, and hands it over.
fn with_body(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    existing: Option<&Entry>,
    change: &Change,
    write: impl FnOnce(&str) -> Result<EntryResult, Fault>,
) -> Result<EntryResult, Fault> {
    if change.attributes.is_some() {
        let why = "only the body of this entry can be set here";
        return Ok(EntryResult::failed(path.as_str(), "invalid", why));
    }
    let mut result = match edited(path, existing.map(|entry| entry.body.as_str()), change)? {
        Edited::Nothing => EntryResult::done(path.as_str()),
        Edited::Failed(failed) => return Ok(failed),
        Edited::Body(body, beside) => merged(write(&body)?, beside),
    };
    if let (200, Some(entry)) = (result.status, existing) {
        result = seen(ctx, place, entry, change, result)?;
    }
    Ok(result)
}

fn plain(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &EntryPath,
    existing: Option<&Entry>,
    change: &Change,
) -> Result<EntryResult, Fault> {
    let Some(entry) = existing else { return create(ctx, place, path, change) };
    if let Some(failed) = check_attributes(path, change.attributes.as_ref()) {
        return Ok(failed);
    }
    if change.says_more() && !place.is_run() && place.must_propose(entry) {
        let why = "the user wrote this entry, and only the user says how it stands";
        return outcome::record_denied(
            ctx,
            place,
            verb,
            path.as_str(),
            why,
            "change your own view of it with `visibility`",
        );
    }
    if !change.touches_entry() {
        settle(ctx, place, entry, change)?;
        return seen(ctx, place, entry, change, done(entry));
    }
    if place.must_propose(entry) {
        let body = match edited(path, Some(&entry.body), change)? {
            Edited::Failed(failed) => return Ok(failed),
            Edited::Nothing => None,
            Edited::Body(body, _) => Some(body),
        };
        let wanted = Wanted { body, attributes: change.attributes.clone(), ..Wanted::default() };
        return change::propose(ctx, entry, verb, wanted);
    }
    let (body, beside) = match edited(path, Some(&entry.body), change)? {
        Edited::Failed(failed) => return Ok(failed),
        Edited::Nothing => (entry.body.clone(), EntryResult::default()),
        Edited::Body(body, beside) => (body, beside),
    };
    let attributes = with_attributes(&entry.attributes, change.attributes.as_ref());
    if let Some(failed) = check_size(place, path, &body) {
        return Ok(failed);
    }
    let mut result = done(entry);
    if body != entry.body || attributes != entry.attributes {
        let writer = ctx.writer()?;
        let by = ctx.provenance()?;
        writer.join_appended(entry.id, ctx.now())?;
        leave_to_forks(ctx, place, entry)?;
        writer.keep_version(entry.id, Ending::Replaced, false, &by, ctx.now())?;
        let draft = EntryDraft {
            scope: entry.scope.clone(),
            path: path.clone(),
            body,
            attributes,
            provenance: by,
            secrets: ctx.secret_policy(),
            now: ctx.now(),
        };
        result.version = Some(writer.put_entry(&draft)?.version);
    }
    seen(ctx, place, entry, change, merged(result, beside))
}

fn create(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    change: &Change,
) -> Result<EntryResult, Fault> {
    let rules = rules_of(path.scheme());
    let scope = place.scope_for(rules);
    if !change.touches_entry() {
        return Ok(EntryResult::failed(path.as_str(), "not_found", "there is no such entry")
            .next("give it a body to create it"));
    }
    if let Some(failed) = check_attributes(path, change.attributes.as_ref()) {
        return Ok(failed);
    }
    let (body, beside) = match edited(path, None, change)? {
        Edited::Failed(failed) => return Ok(failed),
        Edited::Nothing => (String::new(), EntryResult::default()),
        Edited::Body(body, beside) => (body, beside),
    };
    if let Some(failed) = check_size(place, path, &body) {
        return Ok(failed);
    }
    let written = ctx.writer()?.put_entry(&EntryDraft {
        scope,
        path: path.clone(),
        body,
        attributes: with_attributes(&Map::new(), change.attributes.as_ref()),
        provenance: ctx.provenance()?,
        secrets: ctx.secret_policy(),
        now: ctx.now(),
    })?;
    let row = ctx.writer()?.change_view(
        place.viewer(),
        written.id,
        &change.of_view(true, ctx.caller.turn),
        ctx.now(),
    )?;
    let mut result =
        EntryResult::in_state(path.as_str(), row.state, row.outcome.as_deref()).seen(row.visibility);
    (result.id, result.version) = (Some(written.id.0), Some(written.version));
    Ok(merged(result, beside))
}

/// Writes an entry of the project, or of the run that this one was forked from: the change is made
/// in a copy of the run's own, and the other entry stays as it is.
fn diverge(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    parent: &Entry,
    change: &Change,
) -> Result<EntryResult, Fault> {
    let body = match edited(path, Some(&parent.body), change)? {
        Edited::Failed(failed) => return Ok(failed),
        Edited::Nothing => parent.body.clone(),
        Edited::Body(body, _) => body,
    };
    let mut attributes = with_attributes(&parent.attributes, change.attributes.as_ref());
    if path.scheme() == "known" {
        attributes.retain(|name, _| !RESERVED_ATTRIBUTES.contains(&name.as_str()));
    }
    let row = ctx.store().view(place.viewer(), parent.id)?;
    let own = Change {
        edit: Some(Edit::replacing(&body)),
        attributes: Some(attributes).filter(|attributes| !attributes.is_empty()),
        visibility: change.visibility.or(row.map(|row| row.visibility)),
        ..change.clone()
    };
    let result = create(ctx, place, path, &own)?;
    if !result.is_failed() {
        ctx.writer()?.remove_view(place.viewer(), parent.id)?;
    }
    Ok(result)
}

/// Gives each run that was forked from this one a copy of an entry that is about to change: a fork
/// sees what stood before it.
pub(super) fn leave_to_forks(ctx: &OpContext<'_>, place: &VerbScope, entry: &Entry) -> Result<(), Fault> {
    if entry.scope != *place.viewer() {
        return Ok(());
    }
    let writer = ctx.writer()?;
    for fork in ctx.store().other_runs_viewing(place.viewer(), entry.id)? {
        if writer.entry(&fork, &entry.path)?.is_some() {
            writer.remove_view(&fork, entry.id)?;
            continue;
        }
        let copy = writer.put_entry(&EntryDraft {
            scope: fork.clone(),
            path: entry.path.clone(),
            body: entry.body.clone(),
            attributes: entry.attributes.clone(),
            provenance: entry.writer.clone(),
            secrets: ctx.secret_policy(),
            now: ctx.now(),
        })?;
        writer.move_view(&fork, entry.id, copy.id)?;
    }
    Ok(())
}

/// Appends to a body that still grows, in time that depends on the new part alone: the body so far
/// is not read. `None` if the change is something else.
pub(super) fn append(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    hit: &Hit,
    change: &Change,
) -> Result<Option<EntryResult>, Fault> {
    let Some((text, own_lines)) = change.edit.as_ref().and_then(Edit::appended) else { return Ok(None) };
    let row = ctx.store().view(place.viewer(), hit.id)?;
    let grows = row.is_some_and(|row| row.state == EntryState::Streaming) && hit.scope == *place.viewer();
    let is_shared = grows && ctx.store().has_other_viewers(place.viewer(), hit.id)?;
    if !grows || is_shared || change.attributes.is_some() || change.expect.is_some() {
        return Ok(None);
    }
    let Some(entry) = ctx.store().entry_head(hit.id)? else { return Ok(None) };
    if refuse(ctx, place, "set", &entry.path, true)?.is_some() || place.must_propose(&entry) {
        return Ok(None);
    }
    let size = ctx.store().body_bytes(hit.id)?.unwrap_or_default() + ctx.store().appended_bytes(hit.id)?;
    let size = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(text.len());
    if size > MAX_BODY_BYTES {
        return Ok(Some(too_large(&hit.path, size)));
    }
    let version = ctx.writer()?.append_body(hit.id, text, own_lines, &ctx.provenance()?, ctx.now())?;
    settle(ctx, place, &entry, change)?;
    let result = seen(ctx, place, &entry, change, done(&entry))?;
    Ok(Some(EntryResult { version: Some(version), ..result }))
}

/// Joins the parts of a body when it stops growing.
fn settle(ctx: &OpContext<'_>, place: &VerbScope, entry: &Entry, change: &Change) -> Result<(), Fault> {
    let Some((state, _)) = &change.state else { return Ok(()) };
    let row = ctx.store().view(place.viewer(), entry.id)?;
    let grew = row.is_some_and(|row| row.state == EntryState::Streaming);
    if grew && *state != EntryState::Streaming {
        ctx.writer()?.join_appended(entry.id, ctx.now())?;
    }
    Ok(())
}

/// Changes the viewer's row, and adds it to the result.
fn seen(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    entry: &Entry,
    change: &Change,
    result: EntryResult,
) -> Result<EntryResult, Fault> {
    let change = change.of_view(change.touches_entry(), ctx.caller.turn);
    let row = ctx.writer()?.change_view(place.viewer(), entry.id, &change, ctx.now())?;
    let state = EntryResult::in_state(&result.path, row.state, row.outcome.as_deref());
    Ok(EntryResult { status: state.status, state: state.state, outcome: state.outcome, ..result }
        .seen(row.visibility))
}

fn done(entry: &Entry) -> EntryResult {
    EntryResult {
        id: Some(entry.id.0),
        version: Some(entry.version),
        ..EntryResult::done(entry.path.as_str())
    }
}

/// Refuses an agent's knowledge that is more than one fact.
fn check_size(place: &VerbScope, path: &EntryPath, body: &str) -> Option<EntryResult> {
    if place.is_person() || path.scheme() != "known" {
        return None;
    }
    let tokens = count_tokens(body);
    (tokens > MAX_KNOWN_TOKENS).then(|| {
        let why = format!("it has {tokens} tokens; an entry of knowledge has at most {MAX_KNOWN_TOKENS}");
        EntryResult::failed(path.as_str(), &format!("overflow:{tokens}"), why)
            .next("sort the facts into several entries, one fact each")
    })
}

fn check_attributes(path: &EntryPath, new: Option<&Map<String, Value>>) -> Option<EntryResult> {
    let taken =
        new?.keys().find(|name| path.scheme() == "known" && RESERVED_ATTRIBUTES.contains(&name.as_str()))?;
    let why = format!("the attribute `{taken}` belongs to statements");
    Some(EntryResult::failed(path.as_str(), "invalid", why).next("use another name, or `remember`"))
}
