//! Changes of entries and files that wait for the user, and their way into effect.

use nudge_core::view::EntryState;
use nudge_core::{Entry, EntryPath, Fault};
use nudge_home::workspace::{FileError, FileHash, Workspace};
use serde_json::{Map, Value};

use super::change::Change;
use super::files;
use super::outcome::EntryResult;
use super::place::Place;
use crate::operation::{Op, OpContext};
use crate::review::{AcceptParams, AcceptProposal, DecideParams, DropProposal};
use crate::statements::proposals::{self, Action, EntryChange};

/// What an agent wants of an entry that the user wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// The new body.
    pub(super) body: Option<String>,
    /// New attributes.
    pub(super) attributes: Option<Map<String, Value>>,
    /// The new path.
    pub(super) to: Option<String>,
    /// Whether it goes.
    pub(super) is_removal: bool,
}

/// Proposes a change of an entry to the user.
pub(super) fn make(
    ctx: &OpContext<'_>,
    entry: &Entry,
    verb: &str,
    wanted: Wanted,
) -> Result<EntryResult, Fault> {
    let path = entry.path.as_str();
    let action = action_of(verb, wanted.is_removal);
    let diff = match &wanted.body {
        Some(body) => nudge_grammar::unified_diff(path, &entry.body, body),
        None => String::new(),
    };
    let change = EntryChange {
        path: path.to_owned(),
        to: wanted.to,
        body: wanted.body,
        attributes: wanted.attributes,
        version: Some(entry.version),
        root: None,
        hash: None,
    };
    let why = "the user wrote this entry, and only the user can change it".to_owned();
    let note = proposals::make_for_entry(ctx, action, entry.scope.clone(), change, why)?;
    let diff = Some(diff).filter(|diff| !diff.is_empty());
    Ok(EntryResult { id: Some(entry.id.0), diff, ..EntryResult::proposed(path, note) })
}

/// What an agent wants of a file.
pub(super) struct FileWanted<'a> {
    pub(super) path: &'a str,
    pub(super) to: Option<&'a str>,
    /// The new text; `None` to remove or rename it.
    pub(super) body: Option<&'a str>,
    /// The hash of the present text; `None` if there is no such file.
    pub(super) base: Option<FileHash>,
}

/// Proposes a change of a file to the user.
pub(super) fn make_for_file(
    ctx: &OpContext<'_>,
    place: &Place,
    workspace: &Workspace,
    verb: &str,
    wanted: FileWanted<'_>,
) -> Result<EntryResult, Fault> {
    for path in [Some(wanted.path), wanted.to].into_iter().flatten() {
        if let Err(outside) = workspace.resolve(path) {
            return files::failed(ctx, place, verb, wanted.path, &FileError::from(outside));
        }
    }
    let action = action_of(verb, wanted.body.is_none() && wanted.to.is_none());
    let change = EntryChange {
        path: wanted.path.to_owned(),
        to: wanted.to.map(str::to_owned),
        body: wanted.body.map(str::to_owned),
        attributes: None,
        version: None,
        root: Some(workspace.root().display().to_string()),
        hash: wanted
            .base
            .map(|hash| ctx.writer()?.keyed(&hash.to_string()).map_err(Fault::from))
            .transpose()?,
    };
    let why = "an agent's change of a file waits for the user".to_owned();
    let note = proposals::make_for_entry(ctx, action, place.project().clone(), change, why)?;
    Ok(EntryResult::proposed(wanted.path, note))
}

fn action_of(verb: &str, is_removal: bool) -> Action {
    match verb {
        _ if is_removal => Action::Delete,
        "mv" => Action::Move,
        "cp" => Action::Copy,
        _ => Action::Set,
    }
}

/// The user's decision, given as a state of the proposal's entry.
pub(super) fn decide(
    ctx: &OpContext<'_>,
    path: &EntryPath,
    existing: Option<&Entry>,
    change: &Change,
) -> Result<EntryResult, Fault> {
    let name = path.as_str();
    let Some(entry) = existing else {
        return Ok(EntryResult::failed(name, "not_found", "there is no such proposal"));
    };
    let id = entry.id.0;
    let decided = match (&change.state, change.touches_entry()) {
        (Some((EntryState::Resolved, _)), false) => {
            AcceptProposal::run(ctx, AcceptParams { id, text: None }).map(|_| EntryState::Resolved)
        }
        (Some((EntryState::Cancelled, _)), false) => {
            DropProposal::run(ctx, DecideParams { id }).map(|_| EntryState::Cancelled)
        }
        _ => {
            let why = "a proposal is decided by its state: resolved accepts it, cancelled drops it";
            return Ok(EntryResult::failed(name, "invalid", why));
        }
    };
    match decided {
        Ok(state) => Ok(EntryResult { id: Some(id), ..EntryResult::in_state(name, state, None) }),
        Err(fault) => EntryResult::of_fault(name, fault),
    }
}
