//! Writes of files: at once for the user, as a proposal for an agent.

use nudge_core::{EntryPath, Fault};
use nudge_home::workspace::{Expected, FileError, FileText};

use super::change::{self, Change, Edited};
use super::files::{failed, note, read, veto};
use super::outcome::EntryResult;
use super::place::VerbScope;
use crate::caller::Surface;
use crate::operation::OpContext;

/// Sets a file: at once for the user, as a proposal for an agent.
pub(super) fn set(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    change: &Change,
) -> Result<EntryResult, Fault> {
    let name = path.as_str();
    if change.attributes.is_some() || change.state.is_some() {
        let why = "a file has a body and a visibility, nothing else";
        return Ok(EntryResult::failed(name, "invalid", why));
    }
    let workspace = place.workspace()?;
    let before = match read(workspace, name) {
        Ok(file) => Some(file),
        Err(FileError::Missing { .. }) => None,
        Err(error) => return failed(ctx, place, "set", name, &error),
    };
    let edited = change::edited(path, before.as_ref().map(|file| file.text.as_str()), change)?;
    let (body, beside) = match edited {
        Edited::Failed(failed) => return Ok(failed),
        Edited::Nothing => return show_only(ctx, place, path, before, change),
        Edited::Body(body, beside) => (body, beside),
    };
    let body = with_last_line_end(ctx, body, before.as_ref());
    if body.contains('\0') {
        return Ok(EntryResult::failed(name, "invalid", "a file that is written here is text, without NUL"));
    }
    if let Some(veto) = veto(ctx, place, "set", name)? {
        return Ok(veto);
    }
    let old = before.as_ref().map_or("", |file| file.text.as_str());
    let diff = Some(nudge_grammar::unified_diff(name, old, &body));
    let base = before.as_ref().map(|file| file.hash);
    if !place.is_person() {
        let wanted = change::FileWanted { path: name, to: None, body: Some(&body), base };
        let result = change::propose_for_file(ctx, place, workspace, "set", wanted)?;
        return Ok(EntryResult { diff, ..change::merged(result, beside) });
    }
    let expected = base.map_or(Expected::Absent, Expected::Hash);
    let relative = match workspace.resolve(name) {
        Ok(relative) => relative,
        Err(outside) => return failed(ctx, place, "set", name, &outside.into()),
    };
    if let Err(error) = workspace.write(&relative, &body, expected) {
        return failed(ctx, place, "set", name, &error);
    }
    let mut result = EntryResult { diff, ..change::merged(EntryResult::done(name), beside) };
    if let Ok(file) = read(workspace, name) {
        let id = note(ctx, place, path, &file.known())?;
        let row = ctx.writer()?.change_view(
            place.viewer(),
            id,
            &change.of_view(true, ctx.caller.turn),
            ctx.now(),
        )?;
        result = EntryResult { id: Some(id.0), ..result }.seen(row.visibility);
    }
    Ok(result)
}

/// The text with a line end at its end. A tag loses it, and a file without one is rarely meant.
fn with_last_line_end(ctx: &OpContext<'_>, mut body: String, before: Option<&FileText>) -> String {
    let is_usual = before.is_none_or(|file| file.text.is_empty() || file.text.ends_with('\n'));
    if ctx.caller.surface == Surface::Run && is_usual && !body.is_empty() && !body.ends_with('\n') {
        body.push('\n');
    }
    body
}

/// Changes how a viewer sees a file.
fn show_only(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    file: Option<FileText>,
    change: &Change,
) -> Result<EntryResult, Fault> {
    let name = path.as_str();
    let Some(file) = file else {
        return Ok(EntryResult::failed(name, "not_found", format!("{name} does not exist")));
    };
    let id = note(ctx, place, path, &file.known())?;
    let row =
        ctx.writer()?.change_view(place.viewer(), id, &change.of_view(false, ctx.caller.turn), ctx.now())?;
    Ok(EntryResult { id: Some(id.0), ..EntryResult::done(name) }.seen(row.visibility))
}
