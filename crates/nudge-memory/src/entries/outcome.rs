//! What a verb did to each entry. A write without the right is recorded as failed.

use nudge_core::entry_state::{EntryState, Visibility, status_of};
use nudge_core::path::action_path;
use nudge_core::{Fault, FaultKind};
use nudge_store::{EntryDraft, SecretPolicy, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::place::VerbScope;
use crate::caller::Surface;
use crate::operation::OpContext;
use crate::statements::proposals::ProposalNote;

/// What a verb did to one entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryResult {
    /// The path.
    pub path: String,
    /// The new path, for `cp` and `mv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Status: 200 done, 202 waits for the user, 4xx and 5xx failed.
    pub status: u16,
    /// State: `resolved`, `proposed`, `streaming`, `failed` or `cancelled`.
    pub state: String,
    /// Why it failed, in one word, such as `permission:403`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Why it failed, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Id of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Version of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Visibility for the viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// How an edit found its place: `exact`, `line_start`, `whitespace` or `reindented`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// How sure that is, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sure: Option<f64>,
    /// What was recovered on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The change of a file, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Present when nothing changed: the change waits for the user's decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalNote>,
}

impl EntryResult {
    /// A result in a state.
    pub(crate) fn in_state(path: &str, state: EntryState, outcome: Option<&str>) -> Self {
        Self {
            path: path.to_owned(),
            status: status_of(state, outcome),
            state: state.name().to_owned(),
            outcome: outcome.map(str::to_owned),
            ..Self::default()
        }
    }

    /// A result that is done.
    pub fn done(path: &str) -> Self {
        Self::in_state(path, EntryState::Resolved, None)
    }

    /// A failure.
    pub fn failed(path: &str, outcome: &str, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::in_state(path, EntryState::Failed, Some(outcome)) }
    }

    /// A path that nothing is stored under.
    pub(super) fn not_found(path: &str) -> Self {
        Self::failed(path, "not_found", format!("there is no entry `{path}`"))
    }

    /// A failure that another operation answered with. Failures of Nudge itself, and credentials,
    /// break off the whole call instead.
    pub(super) fn of_fault(path: &str, fault: Fault) -> Result<Self, Fault> {
        if fault.kind.is_failure() || fault.kind == FaultKind::SecretRejected {
            return Err(fault);
        }
        let outcome = match fault.kind {
            FaultKind::NotFound => "not_found",
            FaultKind::Conflict => "conflict",
            FaultKind::Forbidden | FaultKind::ReadOnly => "permission:403",
            FaultKind::TooLarge | FaultKind::Quota => "overflow",
            _ => "invalid",
        };
        Ok(Self { next: fault.next, ..Self::failed(path, outcome, fault.message) })
    }

    /// A change that waits for the user.
    pub(super) fn proposed(path: &str, note: ProposalNote) -> Self {
        let state = EntryState::Proposed;
        Self { why: Some(note.why.clone()), proposal: Some(note), ..Self::in_state(path, state, None) }
    }

    /// The same, with a next step.
    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// The same, with the visibility that the viewer now has.
    pub(super) fn seen(mut self, visibility: Visibility) -> Self {
        self.visibility = Some(visibility.name().to_owned());
        self
    }

    /// Whether it failed.
    pub fn is_failed(&self) -> bool {
        self.status >= 400
    }
}

/// Answer of a verb.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerbAnswer {
    /// Number of entries that the pattern matched.
    pub matched: u64,
    /// What happened to each, in the order of paths.
    pub results: Vec<EntryResult>,
    /// True if nothing was changed: the results say what would be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
    /// Number of bodies that were read to find the matches.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bodies_read: u64,
    /// What to know about the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl VerbAnswer {
    /// The answer for a single entry.
    pub fn one(result: EntryResult) -> Self {
        Self { matched: 1, results: vec![result], ..Self::default() }
    }

    /// The answer for a repeated call. It is stored, and the content of files is not.
    pub(super) fn without_diffs(mut self) -> Self {
        for result in &mut self.results {
            result.diff = None;
        }
        self
    }

    /// The first failure, if any.
    pub fn failure(&self) -> Option<&EntryResult> {
        self.results.iter().find(|result| result.is_failed())
    }
}

/// Whether a count is left out of an answer.
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

// Writes without the right: recorded as failed, so that the caller and the user can see them.

/// How many such records a viewer keeps. An agent in a loop must not fill the store.
const MAX_RECORDS: usize = 100;

/// The outcome of a write without the right.
const PERMISSION_OUTCOME: &str = "permission:403";

/// Records a refused write, and answers with it. What was to be written is not stored.
pub(super) fn record_denied(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &str,
    why: &str,
    next: &str,
) -> Result<EntryResult, Fault> {
    let mut result = EntryResult::failed(path, PERMISSION_OUTCOME, why);
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
    if before.is_none() && refused_before(ctx, place)? >= MAX_RECORDS {
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
        state: Some((EntryState::Failed, Some(PERMISSION_OUTCOME.to_owned()))),
        is_write: true,
        ..ViewChange::default()
    };
    writer.change_view(&scope, written.id, &change, ctx.now())?;
    result.id = Some(written.id.0);
    Ok(result)
}

fn refused_before(ctx: &OpContext<'_>, place: &VerbScope) -> Result<usize, Fault> {
    let views = ctx.store().views(place.viewer())?;
    let refused =
        |state, outcome: Option<&str>| state == EntryState::Failed && outcome == Some(PERMISSION_OUTCOME);
    Ok(views.iter().filter(|view| refused(view.state, view.outcome.as_deref())).count())
}
