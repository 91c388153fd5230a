//! `rm`: takes entries out of a run's view, or removes them from memory.

use nudge_core::scheme::{ScopeKind, rules_of};
use nudge_core::{Entry, Fault};
use nudge_home::workspace::Expected;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::{self, FileWanted, Wanted};
use super::files::{self, FoundFile};
use super::kinds::{self, Kind};
use super::outcome::{EntryResult, VerbAnswer};
use super::place::VerbScope;
use super::{place, select, write};
use crate::caller::{Caller, Surface};
use crate::changes;
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext};

/// Parameters of `rm`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveParams {
    /// Path or pattern.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Only entries whose body this text or pattern finds.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "body")]
    pub filter: Option<String>,
    /// True to list the matches, and remove nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "manifest")]
    pub preview: bool,
    /// The run whose view it leaves; the entry itself stays. Default: it is removed from memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// The `rm` operation.
pub struct RemoveEntries;

impl Op for RemoveEntries {
    const NAME: &'static str = "rm";
    const ALIASES: &'static [&'static str] = &["entry_rm"];
    const TITLE: &'static str = "Remove entries";
    const DOC: &'static str = "Remove entries by path or pattern; `preview` lists them first. In a run, \
        only the run's view changes.";
    const REFERENCE: &'static str = "Remove entries by path or pattern. With `preview`, list them and \
        remove nothing. In a run, they only leave the run's view.";
    const EFFECT: Effect = Effect::Destructive;
    type Params = RemoveParams;
    type Answer = VerbAnswer;

    fn reads_only(params: &Value) -> bool {
        place::is_preview(params)
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: RemoveParams) -> Result<VerbAnswer, Fault> {
        let place = VerbScope::of(ctx, params.run.as_deref(), params.preview)?;
        let found = select::find_targets(
            ctx,
            &place,
            &params.path,
            params.filter.as_deref(),
            params.files.as_deref(),
        )?;
        let mut answer = VerbAnswer {
            matched: found.matched,
            bodies_read: found.bodies_read,
            preview: params.preview,
            ..VerbAnswer::default()
        };
        if params.preview {
            answer.results = found.targets.iter().map(|path| EntryResult::done(path)).collect();
            return Ok(answer);
        }
        found.check_most()?;
        if found.targets.is_empty() && place::read_pattern("path", &params.path)?.is_single() {
            answer.results.push(EntryResult::not_found(&params.path));
        }
        for path in &found.targets {
            answer.results.push(remove(ctx, &place, Self::NAME, path)?);
        }
        Ok(answer)
    }

    fn for_repeat(answer: VerbAnswer) -> VerbAnswer {
        answer.without_diffs()
    }
}

/// Removes one entry.
pub(super) fn remove(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &str,
) -> Result<EntryResult, Fault> {
    let parsed = place::read_path("path", path)?;
    // A loop that only asks removes no file: its calls are rejected before they come here.
    let is_acting = ctx.caller.surface == Surface::Run;
    if parsed.scheme() == "file" && (is_acting || !place.is_run()) {
        return remove_file(ctx, place, verb, path);
    }
    let entry = if parsed.scheme() == "file" {
        ctx.store().entry(place.project(), &parsed)?
    } else {
        select::one(ctx, place, path)?
    };
    let Some(entry) = entry else {
        return Ok(EntryResult::not_found(path));
    };
    if place.is_run() {
        return leave_view(ctx, place, &entry);
    }
    if let Some(refused) = write::refuse(ctx, place, verb, &parsed, true)? {
        return Ok(refused);
    }
    match kinds::kind_of(ctx.store(), &parsed, Some(&entry))? {
        Kind::Hint => kinds::remove_hint(ctx, &entry),
        Kind::Statement => kinds::forget(ctx, &entry),
        Kind::Proposal => Ok(EntryResult::failed(path, "invalid", "a proposal is decided, not removed")
            .next("use `nudge review`")),
        Kind::Plain | Kind::File => {
            if place.must_propose(&entry) {
                return change::propose(ctx, &entry, verb, Wanted { is_removal: true, ..Wanted::default() });
            }
            changes::delete(ctx, &entry)?;
            Ok(EntryResult { id: Some(entry.id.0), ..EntryResult::done(path) })
        }
    }
}

/// In a run, an entry leaves the run's view. What the run itself noted is removed.
fn leave_view(ctx: &OpContext<'_>, place: &VerbScope, entry: &Entry) -> Result<EntryResult, Fault> {
    let path = entry.path.as_str();
    let is_noted = rules_of(entry.path.scheme()).default_scope == ScopeKind::Project;
    if is_noted && entry.scope == *place.viewer() {
        write::leave_to_forks(ctx, place, entry)?;
        changes::delete(ctx, entry)?;
        return Ok(EntryResult { id: Some(entry.id.0), ..EntryResult::done(path) });
    }
    if ctx.writer()?.remove_view(place.viewer(), entry.id)? {
        return Ok(EntryResult { id: Some(entry.id.0), ..EntryResult::done(path) });
    }
    Ok(EntryResult::failed(path, "not_found", "the run does not have it in view"))
}

fn remove_file(ctx: &OpContext<'_>, place: &VerbScope, verb: &str, path: &str) -> Result<EntryResult, Fault> {
    let workspace = place.workspace()?;
    let file = match files::read(workspace, path) {
        Ok(file) => file,
        Err(error) => return files::failed(ctx, place, verb, path, &error),
    };
    if let Some(veto) = files::veto(ctx, place, verb, path)? {
        return Ok(veto);
    }
    let diff = Some(nudge_grammar::unified_diff(path, &file.text, ""));
    if !place.is_person() {
        let wanted = FileWanted { path, to: None, body: None, base: Some(file.hash) };
        let result = change::propose_for_file(ctx, place, workspace, verb, wanted)?;
        return Ok(EntryResult { diff, ..result });
    }
    let relative = match workspace.resolve(path) {
        Ok(relative) => relative,
        Err(outside) => return files::failed(ctx, place, verb, path, &outside.into()),
    };
    if let Err(error) = workspace.remove(&relative, Expected::Hash(file.hash)) {
        return files::failed(ctx, place, verb, path, &error);
    }
    if let Some(entry) = ctx.store().entry(place.project(), &place::read_path("path", path)?)? {
        ctx.writer()?.delete_entry(entry.id, ctx.now())?;
    }
    Ok(EntryResult { diff, ..EntryResult::done(path) })
}
