//! A change of one entry, and what its edit makes of a body.

use nudge_core::view::{EntryState, Visibility};
use nudge_core::{EntryPath, Fault};
use nudge_grammar::Edit;
use nudge_grammar::edit::ConflictReason;
use nudge_store::ViewChange;
use serde_json::{Map, Value};

use super::outcome::EntryResult;

/// The largest body, in bytes.
pub(super) const BODY_MOST: usize = 16 * 1024 * 1024;

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
        Ok(edited) if edited.body.len() > BODY_MOST => {
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
    let why = format!("the body would have {bytes} bytes; the limit is {BODY_MOST}");
    EntryResult::failed(path, &format!("overflow:{bytes}"), why).next("split it into several entries")
}
