//! Writes the entries of a skill, and puts them into the view of a run.

use nudge_context::count_tokens;
use nudge_core::view::Visibility;
use nudge_core::{Entry, EntryPath, Fault, FaultKind, Scope};
use nudge_store::{Ending, EntryDraft, RunRow, SecretPolicy, ViewChange};
use serde_json::Map;

use super::wire::{ReadSkill, SkillAdded, SkillEntry, SkillText};
use nudge_memory::changes;
use nudge_memory::operation::OpContext;
use nudge_memory::projects::is_person;
use nudge_memory::projects::resolve::UNKNOWN;

/// Writes a skill, and removes what it had before and has no longer.
pub(in crate::runs) fn write(
    ctx: &OpContext<'_>,
    run: &RunRow,
    skill: ReadSkill,
) -> Result<SkillAdded, Fault> {
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
