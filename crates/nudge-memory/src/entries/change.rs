//! A change of one entry: what its edit makes of a body, or the proposal that waits for the user.

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::{Entry, EntryPath, Fault};
use nudge_grammar::Edit;
use nudge_grammar::edit::ConflictReason;
use nudge_home::workspace::{FileError, FileHash, Workspace};
use nudge_store::ViewChange;
use serde_json::{Map, Value};

use super::files;
use super::outcome::EntryResult;
use super::place::VerbScope;
use crate::operation::{Op, OpContext};
use crate::review::{AcceptParams, AcceptProposal, DecideParams, DropProposal};
use crate::statements::proposals::{self, Action, EntryChange};

/// The largest body, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// A change of one entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// The edit of the body.
    pub(super) edit: Option<Edit>,
    /// New attributes; `null` removes one.
    pub(super) attributes: Option<Map<String, Value>>,
    /// The new visibility.
    pub(super) visibility: Option<Visibility>,
    /// The new state and its outcome.
    pub(super) state: Option<(EntryState, Option<String>)>,
    /// The new description.
    pub(super) summary: Option<String>,
    /// The version that must be stored now; 0 if there must be none.
    pub(super) expect: Option<i64>,
}

impl Change {
    /// Whether it changes the entry itself, and not only how the viewer sees it.
    pub(super) const fn touches_entry(&self) -> bool {
        self.edit.is_some() || self.attributes.is_some()
    }

    /// Whether it says how the entry stands, and not only how much the viewer sees of it.
    pub(super) const fn says_more(&self) -> bool {
        self.state.is_some() || self.summary.is_some()
    }

    /// The change of the viewer's row, in a turn of a run.
    pub(super) fn of_view(&self, is_write: bool, turn: Option<(i64, i64)>) -> ViewChange {
        ViewChange {
            visibility: self.visibility,
            state: self.state.clone(),
            summary: self.summary.clone(),
            turn,
            is_write,
        }
    }
}

/// The result of editing a body.
pub(super) enum Edited {
    /// The change has no edit.
    Nothing,
    /// The new body, and what to say about the edit.
    Body(String, EntryResult),
    /// The edit does not fit.
    Failed(EntryResult),
}

/// Applies the edit of a change to a body.
pub(super) fn edited(path: &EntryPath, current: Option<&str>, change: &Change) -> Result<Edited, Fault> {
    let Some(edit) = &change.edit else { return Ok(Edited::Nothing) };
    match edit.apply(current) {
        Ok(edited) if edited.body.len() > MAX_BODY_BYTES => {
            Ok(Edited::Failed(too_large(path.as_str(), edited.body.len())))
        }
        Ok(edited) => {
            let beside = EntryResult {
                matched: edit.needs_current().then(|| edited.matched.name().to_owned()),
                sure: edit.needs_current().then(|| f64::from(edited.matched.sureness())),
                warnings: edited.warnings.iter().map(ToString::to_string).collect(),
                ..EntryResult::default()
            };
            Ok(Edited::Body(edited.body, beside))
        }
        Err(conflict) if conflict.reason == ConflictReason::NoEntry => {
            let why = format!("there is no entry `{path}` to edit");
            Ok(Edited::Failed(EntryResult::failed(path.as_str(), "not_found", why)))
        }
        Err(conflict) => Ok(Edited::Failed(
            EntryResult::failed(path.as_str(), "conflict", conflict.to_string())
                .next("read the entry again, and repeat the edit with its present text"),
        )),
    }
}

/// The result, with what an edit said.
pub(super) fn merged(result: EntryResult, beside: EntryResult) -> EntryResult {
    EntryResult { matched: beside.matched, sure: beside.sure, warnings: beside.warnings, ..result }
}

pub(super) fn too_large(path: &str, bytes: usize) -> EntryResult {
    let why = format!("the body would have {bytes} bytes; the limit is {MAX_BODY_BYTES}");
    EntryResult::failed(path, &format!("overflow:{bytes}"), why).next("split it into several entries")
}

// Changes of entries and files that wait for the user, and their way into effect.

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
pub(super) fn propose(
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
pub(super) fn propose_for_file(
    ctx: &OpContext<'_>,
    place: &VerbScope,
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
