//! `add_skill`: gives a run a skill, which is a Markdown file, or a folder or zip of them. `ask`
//! does it for the run that it asks.
//!
//! The files are read before the transaction. The entries belong to the project, as the scheme
//! says; only the run has them in view.

mod files;
mod source;

use nudge_context::count_tokens;
use nudge_core::entry_state::Visibility;
use nudge_core::{Entry, EntryPath, Fault, FaultKind, Scope};
use nudge_memory::caller::Caller;
use nudge_memory::changes;
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_memory::projects::is_person;
use nudge_memory::projects::resolve::UNKNOWN;
use nudge_store::{Ending, EntryDraft, RunRow, SecretPolicy, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::named;

/// The field that only this module fills.
const READ_FIELD: &str = "read";

/// How many skills one call adds.
const MAX_SKILLS: usize = 20;

/// The `add_skill` operation.
pub struct AddSkill;

impl Op for AddSkill {
    const NAME: &'static str = "add_skill";
    const ALIASES: &'static [&'static str] = &["run/skill"];
    const TITLE: &'static str = "Add a skill";
    const DOC: &'static str = "Give a run a skill: a Markdown file, or a folder or zip of them.";
    const REFERENCE: &'static str = "Give a run a skill: a Markdown file, or a folder or zip of them. The run \
        sees a line for its index and can read the rest; adding it again replaces it.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = AddSkillParams;
    type Answer = SkillAdded;

    fn prepare(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
        let Some(fields) = params.as_object_mut() else { return Ok(params) };
        // Only this function says what the files contain.
        fields.remove(READ_FIELD);
        let Some(Value::String(path)) = fields.get("path") else { return Ok(params) };
        let name = fields.get("name").and_then(Value::as_str);
        let read = source::read(memory, caller, path, name)?;
        fields.insert(READ_FIELD.to_owned(), serde_json::to_value(read).unwrap_or_default());
        Ok(params)
    }

    fn run(ctx: &OpContext<'_>, params: AddSkillParams) -> Result<SkillAdded, Fault> {
        let Some(skill) = params.read else {
            return Err(Fault::invalid("path", "the skill was not read").with("field", "path"));
        };
        let run = named::run_to_change(ctx, &params.run, None)?;
        write_skill(ctx, &run, skill)
    }
}

/// Reads the skills that the field `skills` names, before the transaction.
pub(super) fn read_named(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
    let Some(fields) = params.as_object_mut() else { return Ok(params) };
    fields.remove(READ_FIELD);
    let Some(Value::Array(paths)) = fields.get("skills") else { return Ok(params) };
    if paths.len() > MAX_SKILLS {
        let why = format!("a call adds at most {MAX_SKILLS} skills");
        return Err(Fault::invalid("skills", why).with("field", "skills"));
    }
    let paths = paths.iter().filter_map(Value::as_str);
    let read = paths.map(|path| source::read(memory, caller, path, None)).collect::<Result<Vec<_>, _>>()?;
    fields.insert(READ_FIELD.to_owned(), serde_json::to_value(read).unwrap_or_default());
    Ok(params)
}

/// Writes a skill, and removes what it had before and has no longer.
pub(super) fn write_skill(ctx: &OpContext<'_>, run: &RunRow, skill: ReadSkill) -> Result<SkillAdded, Fault> {
    let scope = project_scope(ctx, run)?;
    let mut entries = Vec::new();
    for (number, text) in skill.texts.iter().enumerate() {
        let visibility = if number == 0 { Visibility::Summarized } else { Visibility::Archived };
        put(ctx, run, &scope, text, visibility)?;
        entries.push(SkillEntry {
            path: text.path.clone(),
            visibility: visibility.name().to_owned(),
            tokens: count_tokens(&text.body),
        });
    }
    let removed = remove_others(ctx, run, &scope, &skill)?;
    ctx.writer()?.touch(run.entry, ctx.now())?;
    Ok(SkillAdded {
        run: run.alias.clone(),
        skill: skill.name,
        entries,
        removed,
        left_out: skill.left_out,
        left_out_count: skill.left_out_count,
    })
}

fn project_scope(ctx: &OpContext<'_>, run: &RunRow) -> Result<Scope, Fault> {
    let project = ctx.store().project_uncounted(run.project)?;
    let key = project.and_then(|project| project.keys.into_iter().next());
    Ok(Scope::Project(key.unwrap_or_else(|| UNKNOWN.to_owned())))
}

/// Whether only the user may change an entry.
fn is_closed(ctx: &OpContext<'_>, entry: &Entry) -> bool {
    !is_person(ctx.caller) && entry.writer.is_by_user()
}

/// Whether an entry of an agent is the user's from now on.
fn becomes_the_users(ctx: &OpContext<'_>, entry: &Entry) -> bool {
    is_person(ctx.caller) && !entry.writer.is_by_user()
}

fn put(
    ctx: &OpContext<'_>,
    run: &RunRow,
    scope: &Scope,
    text: &SkillText,
    visibility: Visibility,
) -> Result<(), Fault> {
    let writer = ctx.writer()?;
    let path = EntryPath::parse(&text.path).map_err(|error| Fault::invalid("path", error.to_string()))?;
    let existing = writer.entry(scope, &path)?;
    let id = match &existing {
        Some(entry) if entry.body == text.body && !becomes_the_users(ctx, entry) => entry.id,
        Some(entry) if is_closed(ctx, entry) => {
            let why = format!("the user wrote `{path}`, and only the user replaces it");
            return Err(Fault::new(FaultKind::Forbidden, "user_entry", why)
                .next("give the skill another name, or ask the user to add it"));
        }
        _ => {
            let by = ctx.provenance()?;
            if let Some(entry) = &existing {
                writer.join_appended(entry.id, ctx.now())?;
                writer.keep_version(entry.id, Ending::Replaced, false, &by, ctx.now())?;
            }
            let draft = EntryDraft {
                scope: scope.clone(),
                path,
                body: text.body.clone(),
                attributes: Map::new(),
                provenance: by,
                secrets: SecretPolicy::Redact,
                now: ctx.now(),
            };
            writer.put_entry(&draft)?.id
        }
    };
    let change = ViewChange { visibility: Some(visibility), is_write: true, ..ViewChange::default() };
    writer.change_view(&run.scope, id, &change, ctx.now())?;
    Ok(())
}

/// Takes entries that the skill has no longer out of the run's view. One that nobody else has in
/// view is deleted.
fn remove_others(
    ctx: &OpContext<'_>,
    run: &RunRow,
    scope: &Scope,
    skill: &ReadSkill,
) -> Result<Vec<String>, Fault> {
    let writer = ctx.writer()?;
    let below = format!("skill://{}/", skill.name);
    let mut removed = Vec::new();
    for row in writer.views(&run.scope)? {
        let Some(entry) = writer.entry_head(row.entry)? else { continue };
        let path = entry.path.as_str();
        let is_old = path.starts_with(&below) && !skill.texts.iter().any(|text| text.path == path);
        if !is_old || entry.scope != *scope || is_closed(ctx, &entry) {
            continue;
        }
        removed.push(path.to_owned());
        writer.remove_view(&run.scope, entry.id)?;
        if !writer.has_other_viewers(&run.scope, entry.id)? {
            changes::delete(ctx, &entry)?;
        }
    }
    Ok(removed)
}

/// Parameters of `add_skill`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddSkillParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Path of a Markdown file, a folder or a zip on this machine.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Name of the skill. Default: the name of the file or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub read: Option<ReadSkill>,
}

/// A skill that was read before the transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadSkill {
    /// Its name.
    pub name: String,
    /// Its texts. The first is the index.
    pub texts: Vec<SkillText>,
    /// What was left out.
    pub left_out: Vec<SkillLeftOut>,
    /// Number of files that were left out.
    pub left_out_count: u64,
}

/// One text of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillText {
    /// Path of its entry.
    pub path: String,
    /// The text.
    pub body: String,
}

/// A file that is not part of the skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillLeftOut {
    /// The file.
    pub file: String,
    /// Why it was left out.
    pub why: String,
}

/// An entry of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillEntry {
    /// Its path.
    pub path: String,
    /// How much of it the run sees: the index is summarized, the rest is archived.
    pub visibility: String,
    /// What its whole text costs, in tokens.
    pub tokens: u32,
}

/// Answer of `add_skill`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillAdded {
    /// Name of the run.
    pub run: String,
    /// Name of the skill.
    pub skill: String,
    /// Its entries. The first is the index.
    pub entries: Vec<SkillEntry>,
    /// Paths that the skill had before and has no longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The first of the files that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<SkillLeftOut>,
    /// Number of files that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out_count: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}
