//! `keep_run`: makes what a run noted known in its project.

use nudge_core::{Entry, EntryId, Fault, FaultKind, Scope, Tier};
use nudge_grammar::Pattern;
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_memory::statements;
use nudge_store::{Ending, EntryDraft, RunRow, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::named;

/// The scheme of what can be kept.
const SCHEME: &str = "known";

/// Parameters of `keep_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepRunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Path or pattern of what to keep, such as `known://auth/*`. Default: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True to list what would be kept, and keep nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
    /// True to replace what the user wrote in the project under the same path.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
    /// Name, id or directory of its project. Default: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// What was kept of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunKept {
    /// Name of the run.
    pub run: String,
    /// What the project knows now.
    pub kept: Vec<KeptEntry>,
    /// Paths that stay with the run, because the project has the user's own words there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Paths that the project has already, with the same text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
}

/// An entry that was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptEntry {
    /// Its id in the project; in the run, if it is only listed.
    pub id: i64,
    /// Its path.
    pub path: String,
    /// Its text.
    pub body: String,
    /// Whether it replaced what the project had there.
    pub replaced: bool,
}

/// The `keep_run` operation.
pub struct KeepRun;

impl Op for KeepRun {
    const NAME: &'static str = "keep_run";
    const ALIASES: &'static [&'static str] = &["run/keep"];
    const TITLE: &'static str = "Keep what a run noted";
    const DOC: &'static str = "Make what a run noted known in its project. The user decides this.";
    const REFERENCE: &'static str = "Make what a run noted known in its project, so that other runs and \
        sessions find it.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = KeepRunParams;
    type Answer = RunKept;

    fn reads_only(params: &Value) -> bool {
        params["preview"] == true
    }

    fn run(ctx: &OpContext<'_>, params: KeepRunParams) -> Result<RunKept, Fault> {
        let project = params.project.as_deref();
        let run = match params.preview {
            true => named::run_to_read(ctx, &params.run, project)?,
            false => named::run_to_change(ctx, &params.run, project)?,
        };
        let row = ctx.store().project_uncounted(run.project)?.ok_or_else(|| named::no_run(&params.run))?;
        let Some(key) = row.keys.first() else { return Err(named::no_run(&params.run)) };
        let project = Scope::Project(key.clone());
        let wanted = params
            .path
            .as_deref()
            .map(|path| nudge_memory::entries::read_pattern("path", path))
            .transpose()?;
        let mut answer = RunKept { run: run.alias.clone(), ..RunKept::default() };
        let noted = noted(ctx, &run)?;
        if noted.is_empty() {
            return Ok(answer);
        }
        let mut is_found = false;
        for entry in &noted {
            if !matches(wanted.as_ref(), entry.path.as_str())? {
                continue;
            }
            is_found = true;
            let Some(entry) = ctx.store().whole_entry(entry.id)? else { continue };
            let before = ctx.store().entry(&project, &entry.path)?;
            if let Some(before) = &before {
                if before.body == entry.body && before.attributes == entry.attributes {
                    answer.known.push(entry.path.as_str().to_owned());
                    continue;
                }
                let is_own = before.writer.is_by_user() && !params.replace;
                if is_own || statements::is_statement(ctx.store(), before.id)? {
                    answer.left_out.push(entry.path.as_str().to_owned());
                    continue;
                }
            }
            let id = if params.preview { entry.id } else { write(ctx, &project, &entry, before.as_ref())? };
            answer.kept.push(KeptEntry {
                id: id.0,
                path: entry.path.as_str().to_owned(),
                body: entry.body,
                replaced: before.is_some(),
            });
        }
        if is_found {
            return Ok(answer);
        }
        let paths: Vec<&str> = noted.iter().map(|entry| entry.path.as_str()).collect();
        Err(Fault::new(FaultKind::NotFound, "no_entry", "the run noted nothing under this path")
            .next(format!("it noted {}", paths.join(", "))))
    }
}

/// Writes an entry of a run into its project, as the caller's own.
fn write(
    ctx: &OpContext<'_>,
    project: &Scope,
    entry: &Entry,
    before: Option<&Entry>,
) -> Result<EntryId, Fault> {
    let (writer, by) = (ctx.writer()?, ctx.provenance()?);
    if let Some(before) = before {
        writer.keep_version(before.id, Ending::Replaced, false, &by, ctx.now())?;
    }
    let written = writer.put_entry(&EntryDraft {
        scope: project.clone(),
        path: entry.path.clone(),
        body: entry.body.clone(),
        attributes: entry.attributes.clone(),
        provenance: by,
        secrets: ctx.secret_policy(),
        now: ctx.now(),
    })?;
    writer.change_view(project, written.id, &ViewChange::default(), ctx.now())?;
    Ok(written.id)
}

/// What the model of a run, or the user in it, noted; also what it got from the run that it was
/// forked from. What another agent wrote under the name of the run is not the run's.
fn noted(ctx: &OpContext<'_>, run: &RunRow) -> Result<Vec<Entry>, Fault> {
    let mut noted = ctx.store().entries_in(&run.scope, Some(SCHEME))?;
    for row in ctx.store().views(&run.scope)? {
        let entry = ctx.store().entry_head(row.entry)?.filter(|entry| entry.path.scheme() == SCHEME);
        noted.extend(entry.filter(|entry| matches!(entry.scope, Scope::Run(_)) && entry.scope != run.scope));
    }
    let by_model = |entry: &Entry| entry.writer.client.as_deref().is_some_and(|by| by.starts_with("run:"));
    noted.retain(|entry| entry.writer.is_by_user() || by_model(entry));
    Ok(noted)
}

fn matches(wanted: Option<&Pattern>, path: &str) -> Result<bool, Fault> {
    match wanted {
        None => Ok(true),
        Some(pattern) => pattern.matches(path).map_err(|error| Fault::invalid("path", error.to_string())),
    }
}
