//! `set` creates or changes entries; `update` records how far the work of a run has come.

use std::time::{Duration, Instant};

use nudge_core::text::slug;
use nudge_core::{Fault, FaultKind};
use nudge_grammar::Edit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::change::{self, Change, Edited};
use super::files::{self, FoundFile};
use super::outcome::{EntryResult, VerbAnswer};
use super::place::{self, VerbScope};
use super::select::{self, MAX_CHANGED_ENTRIES};
use super::{kinds, shown, write};
use crate::caller::Caller;
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext};

/// The largest body that one call writes, in bytes. It is searched for credentials meanwhile, and
/// other writers wait.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// How long one call may change entries, while other writers wait.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Parameters of `set`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetEntryParams {
    /// Path of the entry, such as `known://auth/plan` or `src/main.rs`, or a pattern of existing
    /// ones, such as `known://plan/*`.
    #[schemars(length(min = 1))]
    pub path: String,
    /// The new body, or an edit: `<<SEARCH … SEARCH <<REPLACE … REPLACE`, `<<APPEND … APPEND`,
    /// `<<PREPEND … PREPEND`, `<<DELETE … DELETE`, `s/old/new/`, or a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// True to store the body as it is, without looking for edits in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// True to add the body after the present one, as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub append: bool,
    /// More facts; `null` removes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Map<String, Value>>,
    /// How much of it is shown: `visible`, `summarized` or `archived`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// State: `proposed`, `streaming`, `resolved`, `failed` or `cancelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why it failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// A description of at most 80 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Key words: the description, or its end if both fit into 80 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<String>,
    /// Change only entries whose body this text or pattern finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Write only if this is the current version; 0 only if the entry is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match_version: Option<i64>,
    /// True to list what would change, and change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "manifest")]
    pub preview: bool,
    /// The run whose view changes. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// The `set` operation.
pub struct SetEntries;

impl Op for SetEntries {
    const NAME: &'static str = "set";
    const ALIASES: &'static [&'static str] = &["entry_set"];
    const TITLE: &'static str = "Set entries";
    const DOC: &'static str = "Create or edit an entry by path (known://…, unknown://…, hint://…, or a \
        file), or change all that a pattern matches. What the user wrote, and every file, becomes a proposal.";
    const REFERENCE: &'static str = "Create or change an entry, or all entries that a pattern matches. A \
        body with edit markers edits the present body. When an agent changes what the user wrote, or any \
        file, the change becomes a proposal.";
    const EFFECT: Effect = Effect::Write;
    type Params = SetEntryParams;
    type Answer = VerbAnswer;

    fn reads_only(params: &Value) -> bool {
        place::is_preview(params)
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: SetEntryParams) -> Result<VerbAnswer, Fault> {
        let change = change_of(&params)?;
        let pattern = place::read_pattern("path", &params.path)?;
        if params.preview {
            return preview(ctx, &params, &change);
        }
        let place = VerbScope::to_write(ctx, params.run.as_deref())?;
        if pattern.is_single() && params.filter.is_none() {
            let path = place::read_path("path", &params.path)?;
            let hit = select::hit(ctx, &place, path.as_str())?;
            if let Some(hit) = &hit
                && let Some(result) = write::append(ctx, &place, hit, &change)?
            {
                return Ok(VerbAnswer::one(result));
            }
            let existing = match hit {
                Some(hit) => ctx.store().whole_entry(hit.id)?,
                None => None,
            };
            let result = write::write(ctx, &place, Self::NAME, &path, existing.as_ref(), &change)
                .map_err(without_override)?;
            return Ok(VerbAnswer::one(result));
        }
        let found = select::find_targets(
            ctx,
            &place,
            &params.path,
            params.filter.as_deref(),
            params.files.as_deref(),
        )?;
        let mut answer =
            VerbAnswer { matched: found.matched, bodies_read: found.bodies_read, ..VerbAnswer::default() };
        found.check_most()?;
        let began = Instant::now();
        for target in found.targets {
            if began.elapsed() > CHANGE_TIMEOUT {
                return Err(Fault::new(
                    FaultKind::TooLarge,
                    "too_long",
                    "the change takes too long; nothing was changed",
                )
                .next("use a narrower pattern"));
            }
            let existing = select::one(ctx, &place, &target)?;
            let path = place::read_path("path", &target)?;
            answer.results.push(write::write(ctx, &place, Self::NAME, &path, existing.as_ref(), &change)?);
        }
        Ok(answer)
    }

    fn for_repeat(answer: VerbAnswer) -> VerbAnswer {
        answer.without_diffs()
    }
}

/// A refused credential; only hints have an override.
fn without_override(fault: Fault) -> Fault {
    if fault.kind == FaultKind::SecretRejected {
        return fault.next("name where the secret is stored instead");
    }
    fault
}

fn change_of(params: &SetEntryParams) -> Result<Change, Fault> {
    if params.body.as_ref().is_some_and(|body| body.len() > MAX_BODY_BYTES) {
        let why = format!("one call writes at most {MAX_BODY_BYTES} bytes");
        return Err(Fault::new(FaultKind::TooLarge, "body", why)
            .with("field", "body")
            .next("write it in parts with `append`"));
    }
    let edit = match params.body.as_deref() {
        None => None,
        Some(body) if params.append => Some(Edit::appending(body)),
        Some(body) if params.raw => Some(Edit::replacing(body)),
        Some(body) => Some(Edit::parse(body).map_err(|error| {
            Fault::invalid("edit", error.to_string())
                .with("field", "body")
                .next("close each marker with its own name, or set `raw` to store the text as it is")
        })?),
    };
    let change = Change {
        edit,
        attributes: params.attributes.clone(),
        visibility: place::read_visibility(params.visibility.as_deref())?,
        state: place::read_state(params.state.as_deref(), params.outcome.as_deref())?,
        summary: place::read_summary(params.summary.as_deref(), params.tags.as_deref())?,
        expect: params.if_match_version,
    };
    let says_nothing = !change.touches_entry()
        && change.visibility.is_none()
        && change.state.is_none()
        && change.summary.is_none();
    if says_nothing {
        return Err(Fault::invalid("nothing", "there is nothing to set")
            .next("give a body, attributes, a visibility, a state or a summary"));
    }
    Ok(change)
}

/// What the change would do, without doing it.
fn preview(ctx: &OpContext<'_>, params: &SetEntryParams, change: &Change) -> Result<VerbAnswer, Fault> {
    let place = VerbScope::to_read(ctx, params.run.as_deref())?;
    let found =
        select::find_targets(ctx, &place, &params.path, params.filter.as_deref(), params.files.as_deref())?;
    let mut answer = VerbAnswer {
        matched: found.matched,
        bodies_read: found.bodies_read,
        preview: true,
        ..VerbAnswer::default()
    };
    for target in found.targets.iter().take(MAX_CHANGED_ENTRIES) {
        let path = place::read_path("path", target)?;
        if select::one(ctx, &place, target)?.as_ref().is_some_and(shown::is_secret) {
            answer.results.push(kinds::secret(target));
            continue;
        }
        let body = select::current_body(ctx, &place, &path)?;
        answer.results.push(match change::edited(&path, body.as_deref(), change)? {
            Edited::Failed(failed) => failed,
            Edited::Nothing => EntryResult::done(target),
            Edited::Body(new, beside) => {
                let diff = nudge_grammar::unified_diff(target, body.as_deref().unwrap_or_default(), &new);
                EntryResult { diff: Some(diff), ..change::merged(EntryResult::done(target), beside) }
            }
        });
    }
    Ok(answer)
}

// `update`: records how far the work has come, and whether it is done.

/// The statuses that an update may have: it goes on, or it is done.
const STATUSES: [u16; 4] = [102, 200, 204, 422];

/// Parameters of `update`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateParams {
    /// What was done or found, in a sentence.
    pub body: String,
    /// 102 if the work goes on, 200 if it is done, 204 if there was nothing to do, 422 if it cannot
    /// be done. Default: 102.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The run that it belongs to. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The `update` operation.
pub struct UpdateRun;

impl Op for UpdateRun {
    const NAME: &'static str = "update";
    const ALIASES: &'static [&'static str] = &["entry_update"];
    const TITLE: &'static str = "Record progress";
    const DOC: &'static str = "Record how far the work has come: status 102 goes on, 200 done, 204 nothing \
        to do, 422 impossible.";
    const REFERENCE: &'static str = "Record how far the work has come, as an entry `update://…`. The status \
        says whether the work goes on or has ended.";
    const EFFECT: Effect = Effect::Write;
    type Params = UpdateParams;
    type Answer = VerbAnswer;

    fn run(ctx: &OpContext<'_>, params: UpdateParams) -> Result<VerbAnswer, Fault> {
        let status = params.status.unwrap_or(102);
        if !STATUSES.contains(&status) {
            return Err(Fault::invalid("status", format!("{status} is no status of an update"))
                .with("field", "status")
                .next("use 102, 200, 204 or 422"));
        }
        let place = VerbScope::to_write(ctx, params.run.as_deref())?;
        let path = place::read_path("path", &format!("update://{}", slug(&params.body)))?;
        let mut attributes = Map::new();
        attributes.insert("status".to_owned(), status.into());
        let change = Change {
            edit: Some(Edit::replacing(&params.body)),
            attributes: Some(attributes),
            ..Change::default()
        };
        let existing = select::one(ctx, &place, path.as_str())?;
        let mut result = write::write(ctx, &place, Self::NAME, &path, existing.as_ref(), &change)?;
        if result.status == 200 {
            result.status = status;
        }
        Ok(VerbAnswer::one(result))
    }
}
