//! Kinds of entries with rules of their own: hints and statements are written through their own
//! operations, so that their limits, conditions and histories hold for the verbs too.

use nudge_core::{Entry, EntryId, EntryPath, Fault};
use nudge_store::Reader;

use super::outcome::EntryResult;
use super::shown::is_secret;
use crate::hints::{self, wire};
use crate::knowledge::{CorrectParams, CorrectStatement, ForgetParams, ForgetStatement};
use crate::operation::{Op, OpContext};
use crate::recall::EntryRef;
use crate::statements;

/// How an entry is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As it is.
    Plain,
    /// Through the operations of hints.
    Hint,
    /// Through the operations of statements.
    Statement,
    /// To disk.
    File,
    /// Through a review.
    Proposal,
}

/// The kind of a path, with the entry stored there.
pub(super) fn kind_of(
    reader: &Reader<'_>,
    path: &EntryPath,
    existing: Option<&Entry>,
) -> Result<Kind, Fault> {
    Ok(match path.scheme() {
        "file" => Kind::File,
        "hint" => Kind::Hint,
        "proposal" => Kind::Proposal,
        "known" => match existing {
            Some(entry) if statements::by_id(reader, entry.id)?.is_some() => Kind::Statement,
            _ => Kind::Plain,
        },
        _ => Kind::Plain,
    })
}

/// Whether a stored hint is not there for the caller: it has expired, belongs to a private project,
/// or, for an agent, does not apply where the agent works.
pub(super) fn hint_is_gone(ctx: &OpContext<'_>, path: &str, id: EntryId) -> Result<bool, Fault> {
    let Ok(path) = EntryPath::parse(path) else { return Ok(true) };
    let Some((component, key)) = names(&path) else { return Ok(true) };
    let rows = ctx.store().hints_of_key(&component, &key, ctx.now())?;
    let open = hints::only_open(ctx, rows)?.into_iter().find(|row| row.entry.id == id);
    match open {
        Some(row) => Ok(!hints::may_show_row(ctx, row)?),
        None => Ok(true),
    }
}

/// Sets the value of a hint as text.
pub(super) fn set_hint(
    ctx: &OpContext<'_>,
    path: &EntryPath,
    existing: Option<&Entry>,
    body: &str,
) -> Result<EntryResult, Fault> {
    let Some((component, key)) = names(path) else {
        return Ok(EntryResult::failed(path.as_str(), "invalid", "a hint's path is `hint://component/key`"));
    };
    if existing.is_none() && path.as_str().contains("?if=") {
        let why = "a variant with conditions is made with its conditions";
        return Ok(
            EntryResult::failed(path.as_str(), "invalid", why).next("use `set_hint` with `meta.scope`")
        );
    }
    let meta = existing.map(hints::meta_of).transpose()?;
    let params = wire::SetParams {
        component,
        key,
        value: hints::value_with(existing, body)?,
        meta,
        if_match_version: None,
        allow_secret: false,
    };
    match hints::SetHint::run(ctx, params) {
        Ok(answer) => Ok(match answer.proposal {
            Some(note) => EntryResult::proposed(path.as_str(), note),
            None => EntryResult {
                version: answer.hint.map(|hint| hint.version),
                ..EntryResult::done(path.as_str())
            },
        }),
        Err(fault) => EntryResult::of_fault(path.as_str(), fault),
    }
}

/// Deletes one variant of a hint.
pub(super) fn remove_hint(ctx: &OpContext<'_>, entry: &Entry) -> Result<EntryResult, Fault> {
    let path = entry.path.as_str();
    if is_secret(entry) {
        return Ok(secret(path));
    }
    let Some((component, key)) = names(&entry.path) else {
        return Ok(EntryResult::failed(path, "not_found", "there is no such hint"));
    };
    match hints::delete_variant(ctx, &component, &key, &entry.path) {
        Ok(None) => Ok(EntryResult::done(path)),
        Ok(Some(note)) => Ok(EntryResult::proposed(path, note)),
        Err(fault) => EntryResult::of_fault(path, fault),
    }
}

/// Replaces the text of a statement.
pub(super) fn correct(ctx: &OpContext<'_>, entry: &Entry, body: &str) -> Result<EntryResult, Fault> {
    let path = entry.path.as_str();
    let params = CorrectParams { id: EntryRef::Number(entry.id.0), text: body.to_owned() };
    match CorrectStatement::run(ctx, params) {
        Ok(answer) => Ok(match answer.proposal {
            Some(note) => EntryResult::proposed(path, note),
            None => EntryResult { id: Some(answer.statement.id), ..EntryResult::done(path) },
        }),
        Err(fault) => EntryResult::of_fault(path, fault),
    }
}

/// Withdraws a statement.
pub(super) fn forget(ctx: &OpContext<'_>, entry: &Entry) -> Result<EntryResult, Fault> {
    let path = entry.path.as_str();
    match ForgetStatement::run(ctx, ForgetParams { id: EntryRef::Number(entry.id.0) }) {
        Ok(answer) => Ok(match answer.proposal {
            Some(note) => EntryResult::proposed(path, note),
            None => EntryResult::done(path),
        }),
        Err(fault) => EntryResult::of_fault(path, fault),
    }
}

/// A value that the verbs neither show nor change.
pub(super) fn secret(path: &str) -> EntryResult {
    EntryResult::failed(path, "permission:403", "its value is a secret")
        .next("the user reads and changes it with `nudge hint`")
}

/// The component and key of a hint's path.
fn names(path: &EntryPath) -> Option<(String, String)> {
    match <[String; 2]>::try_from(path.parts()) {
        Ok([component, key]) if !component.is_empty() && !key.is_empty() => Some((component, key)),
        _ => None,
    }
}
