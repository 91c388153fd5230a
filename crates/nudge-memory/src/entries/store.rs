//! `store` and `scan_files`: which files belong to a project, and a list of them with their cost.

use nudge_context::count_tokens;
use nudge_core::entry_state::Visibility;
use nudge_core::{Fault, FaultKind, Tier};
use nudge_home::workspace::{Constraint, ConstraintKind, ScanRules};
use nudge_store::{EntryDraft, SecretPolicy, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::place::VerbScope;
use super::{files, place};
use crate::caller::Caller;
use crate::changes;
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext};

/// The path of the list of files.
pub const MANIFEST_PATH: &str = "log://turn_0/repo/manifest";

/// Parameters of `store`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreParams {
    /// File or glob, from the project root. Without it, the constraints are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True to make the files part of the project, even if git ignores them. This is the default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub persist: bool,
    /// True to protect the files from changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// True to leave the files out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore: bool,
    /// True to remove the constraint.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clear: bool,
    /// The run in whose view the files appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// A file constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintView {
    /// File or glob.
    pub pattern: String,
    /// `add`, `readonly` or `ignore`.
    pub kind: String,
}

/// Answer of `store`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreAnswer {
    /// The constraints of the project; the last one that matches a file decides.
    pub constraints: Vec<ConstraintView>,
    /// True if a constraint was removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cleared: bool,
}

/// The `store` operation.
pub struct StoreFiles;

impl Op for StoreFiles {
    const NAME: &'static str = "store";
    const ALIASES: &'static [&'static str] = &["getConstraints"];
    const TITLE: &'static str = "Constrain files";
    const DOC: &'static str = "List or set which files belong to the project and which are read-only.";
    const REFERENCE: &'static str = "List or set the file constraints of a project: `add` (the default), \
        `readonly` or `ignore`. Constraints hold for every run.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = StoreParams;
    type Answer = StoreAnswer;

    fn reads_only(params: &Value) -> bool {
        params.get("path").is_none_or(Value::is_null)
    }

    fn run(ctx: &OpContext<'_>, params: StoreParams) -> Result<StoreAnswer, Fault> {
        let Some(pattern) = params.path.clone() else {
            return list(ctx, &VerbScope::to_read(ctx, None)?, false);
        };
        let place = VerbScope::to_write(ctx, params.run.as_deref())?;
        place.check_known()?;
        if pattern.contains("://") {
            return Err(Fault::invalid("path", "a constraint is about files, not about other entries")
                .with("field", "path"));
        }
        if u8::from(params.readonly) + u8::from(params.ignore) + u8::from(params.clear) > 1 {
            return Err(Fault::invalid("kind", "choose one of readonly, ignore and clear"));
        }
        let mut cleared = false;
        if params.clear {
            cleared = changes::clear_constraint(ctx, place.project(), &pattern)?;
        } else {
            let kind = match (params.readonly, params.ignore) {
                (true, _) => ConstraintKind::ReadOnly,
                (_, true) => ConstraintKind::Ignore,
                _ => ConstraintKind::Add,
            };
            changes::set_constraint(ctx, place.project(), &Constraint { pattern, kind })?;
        }
        list(ctx, &place, cleared)
    }
}

fn list(ctx: &OpContext<'_>, place: &VerbScope, cleared: bool) -> Result<StoreAnswer, Fault> {
    let view = |one: Constraint| ConstraintView { pattern: one.pattern, kind: one.kind.name().to_owned() };
    let constraints = changes::constraints(ctx.store(), place.project())?.into_iter().map(view).collect();
    Ok(StoreAnswer { constraints, cleared })
}

/// Parameters of `scan_files`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScanParams {
    /// The run that the list is for. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub scanned: Option<Scanned>,
}

/// What a scan found, before the transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Scanned {
    files: Vec<(String, u32)>,
    left_out: u64,
    truncated: bool,
}

/// Answer of `scan_files`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanAnswer {
    /// Path of the list.
    pub path: String,
    /// Number of files.
    pub files: u64,
    /// Tokens of all files together.
    pub tokens: u64,
    /// Tokens of the list itself.
    pub list_tokens: u32,
    /// Number of files that are not in the list: binary, or too large.
    pub left_out: u64,
    /// True if the project has more files than a scan lists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The `scan_files` operation.
pub struct ScanFiles;

impl Op for ScanFiles {
    const NAME: &'static str = "scan_files";
    const TITLE: &'static str = "List project files";
    const DOC: &'static str = "Store a list of the project's files with their tokens, as an entry.";
    const REFERENCE: &'static str = "List the project's files with their tokens, and store the list as \
        `log://turn_0/repo/manifest`. Files that git ignores are left out.";
    const EFFECT: Effect = Effect::Write;
    type Params = ScanParams;
    type Answer = ScanAnswer;

    fn prepare(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
        if params.is_null() {
            params = json!({});
        }
        let Some(fields) = params.as_object_mut() else { return Ok(params) };
        fields.remove("scanned");
        if let Some(workspace) = place::workspace_of(caller) {
            let rules = ScanRules::new(files::constraints_of(memory, caller)?);
            let scan = workspace.scan(&rules, &|| false);
            let mut scanned = Scanned { truncated: scan.is_truncated, ..Scanned::default() };
            for file in scan.files {
                match workspace.resolve(&file.path).map(|path| workspace.read(&path, rules.max_content)) {
                    Ok(Ok(text)) => scanned.files.push((file.path, count_tokens(&text.text))),
                    _ => scanned.left_out += 1,
                }
            }
            scanned.files.sort();
            fields.insert("scanned".to_owned(), serde_json::to_value(scanned).unwrap_or_default());
        }
        Ok(params)
    }

    fn run(ctx: &OpContext<'_>, params: ScanParams) -> Result<ScanAnswer, Fault> {
        let place = VerbScope::to_write(ctx, params.run.as_deref())?;
        place.workspace()?;
        let scanned = params.scanned.unwrap_or_default();
        let body: String =
            scanned.files.iter().map(|(path, tokens)| format!("* {path} - {tokens} tokens\n")).collect();
        let list_tokens = count_tokens(&body);
        let writer = ctx.writer()?;
        let path = place::read_path("path", MANIFEST_PATH)?;
        let before = writer.entry(place.viewer(), &path)?;
        if before.is_some_and(|entry| place.must_propose(&entry)) {
            let why = format!("the user wrote `{MANIFEST_PATH}`, and only the user can change it");
            return Err(Fault::new(FaultKind::Forbidden, "persons", why).next("read it with `get`"));
        }
        let written = writer.put_entry(&EntryDraft {
            scope: place.viewer().clone(),
            path,
            body,
            attributes: Map::new(),
            provenance: ctx.provenance()?,
            secrets: SecretPolicy::Redact,
            now: ctx.now(),
        })?;
        let change =
            ViewChange { visibility: Some(Visibility::Visible), is_write: true, ..ViewChange::default() };
        writer.change_view(place.viewer(), written.id, &change, ctx.now())?;
        Ok(ScanAnswer {
            path: MANIFEST_PATH.to_owned(),
            files: scanned.files.len() as u64,
            tokens: scanned.files.iter().map(|(_, tokens)| u64::from(*tokens)).sum(),
            list_tokens,
            left_out: scanned.left_out,
            truncated: scanned.truncated,
        })
    }
}
